#include "lamarck/tensor/worker_scope.h"

#include <utility>

namespace lamarck {
namespace {

// Thread-local, so that a pool's threads do not start nested parallel work.
thread_local ThreadPool* current_pool = nullptr;

}  // namespace

WorkerScope::WorkerScope(ThreadPool* pool)
    : before_(std::exchange(current_pool, pool)) {}

WorkerScope::~WorkerScope() { current_pool = before_; }

ThreadPool* WorkerScope::pool() { return current_pool; }

}  // namespace lamarck
