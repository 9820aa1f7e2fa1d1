#include "lamarck/tensor/storage.h"

#include <cstdlib>
#include <new>

namespace lamarck {

void FreeAligned::operator()(float* data) const { std::free(data); }

FloatBuffer allocate_floats(std::int64_t count) {
  // aligned_alloc needs a multiple of the alignment, and a size above 0.
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  const std::size_t rounded = (bytes / kFloatAlignment + 1) * kFloatAlignment;
  auto* data =
      static_cast<float*>(std::aligned_alloc(kFloatAlignment, rounded));
  if (data == nullptr) throw std::bad_alloc();
  return FloatBuffer(data);
}

}  // namespace lamarck
