#include "lamarck/server/mcp/internal/mcp_workers.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace lamarck::mcp {

McpWorkers::McpWorkers(std::size_t max_threads)
    : max_threads_(std::max<std::size_t>(max_threads, 1)) {}

McpWorkers::~McpWorkers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool McpWorkers::post(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  if (is_ending_ || waiting_.size() >= kMaxWaiting) return false;
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_ && threads_.size() < max_threads_) {
    try {
      threads_.emplace_back([this] { work_loop(); });
    } catch (const std::system_error&) {
      // The machine gives no more threads; those there are will do it.
      if (threads_.empty()) {
        waiting_.pop_back();
        return false;
      }
    }
  }
  const bool has_idle = idle_ > 0;
  // Whoever is woken finds the lock free.
  lock.unlock();
  if (has_idle) wake_.notify_one();
  return true;
}

std::size_t McpWorkers::thread_count() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

void McpWorkers::work_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    {
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
    }
    lock.lock();
  }
}

}  // namespace lamarck::mcp
