#include "lamarck/tensor/blas_memory.h"

#include <dlfcn.h>

#include <mutex>

// As the library has them.
extern "C" {
void* blas_memory_alloc(int purpose);
void blas_memory_free(void* memory);
}

namespace lamarck {
namespace {

struct Library {
  decltype(&blas_memory_alloc) alloc;
  decltype(&blas_memory_free) free;
  std::mutex mutex;

  static Library& instance() {
    static Library library;
    return library;
  }

 private:
  Library()
      : alloc(next<decltype(alloc)>("blas_memory_alloc")),
        free(next<decltype(free)>("blas_memory_free")) {}

  // Null if there is none; then nobody calls ours either.
  template <class Function>
  static Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  }
};

}  // namespace

void guard_blas_memory() { Library::instance(); }

}  // namespace lamarck

void* blas_memory_alloc(int purpose) {
  auto& library = lamarck::Library::instance();
  const std::lock_guard lock(library.mutex);
  return library.alloc(purpose);
}

void blas_memory_free(void* memory) {
  auto& library = lamarck::Library::instance();
  const std::lock_guard lock(library.mutex);
  library.free(memory);
}
