// The threads that one computation may use.
//
// How work is split into parts depends only on its size, and a part gives the
// same result on any thread. So the number of threads does not change results.

#pragma once

#include <cstddef>

#include "lamarck/base/thread_pool.h"
#include "lamarck/tensor/flush_denormals.h"

namespace lamarck {

// While it exists, kernels called by this thread use the pool, or only this
// thread if the pool is null. The threads of the pool are not affected.
class WorkerScope {
 public:
  explicit WorkerScope(ThreadPool* pool);
  ~WorkerScope();
  WorkerScope(const WorkerScope&) = delete;
  WorkerScope& operator=(const WorkerScope&) = delete;

  static ThreadPool* pool();  // Null for none.

 private:
  ThreadPool* before_;
};

// Calls part(0) .. part(count - 1), in parallel if there is a pool. Denormal
// numbers are treated as by the calling thread.
template <class F>
void for_each_part(std::size_t count, F&& part) {
  if (ThreadPool* pool = WorkerScope::pool(); pool != nullptr && count > 1) {
    const bool flushes = FlushDenormals::is_active();
    pool->parallel_for(count, [&](std::size_t i) {
      const FlushDenormals scope(flushes);
      part(i);
    });
    return;
  }
  for (std::size_t i = 0; i < count; ++i) part(i);
}

}  // namespace lamarck
