// Threads that one computation may share its work out to.
//
// Work is cut into parts by its size alone, and each part computes the same
// whoever runs it, so the thread count changes no result.

#pragma once

#include <cstddef>
#include <functional>

#include "lamarck/base/thread_pool.h"

namespace lamarck {

// While it exists, kernels that this thread calls use the pool; null: this
// thread alone. The pool's own threads are not affected.
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

// Calls part(0) .. part(count - 1), side by side if there are workers.
template <class F>
void for_each_part(std::size_t count, F&& part) {
  if (ThreadPool* pool = WorkerScope::pool(); pool != nullptr && count > 1) {
    pool->parallel_for(count, std::ref(part));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) part(i);
}

}  // namespace lamarck
