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
      // No more threads are available; the existing ones do the work.
      if (threads_.empty()) {
        waiting_.pop_back();
        return false;
      }
    }
  }
  wake_another(lock);
  return true;
}

std::size_t McpWorkers::thread_count() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

// Wakes one thread at a time: it takes work and wakes the next one if there is
// more. A busy thread often takes the work first, which saves the wake-ups.
void McpWorkers::wake_another(std::unique_lock<std::mutex>& lock) {
  const bool is_needed = !waiting_.empty() && idle_ > 0 && !is_waking_;
  is_waking_ = is_waking_ || is_needed;
  lock.unlock();  // The woken thread finds the mutex free.
  if (is_needed) wake_.notify_one();
}

void McpWorkers::work_loop() {
  std::unique_lock lock(mutex_);
  while (!is_ending_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      ++idle_;
      wake_.wait(lock);
      --idle_;
      is_waking_ = false;
      continue;
    }
    {
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      wake_another(lock);
      work();
    }
    lock.lock();
  }
}

}  // namespace lamarck::mcp
