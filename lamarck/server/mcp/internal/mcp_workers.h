// A thread pool for handlers that block. Threads are started on demand, up to a
// limit.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lamarck::mcp {

// Thread safety: all members may be called from any thread.
class McpWorkers {
 public:
  // Maximum length of the queue.
  static constexpr std::size_t kMaxWaiting = 10'000;

  explicit McpWorkers(std::size_t max_threads);
  ~McpWorkers();  // Finishes the queue first.
  McpWorkers(const McpWorkers&) = delete;
  McpWorkers& operator=(const McpWorkers&) = delete;

  // Returns false if the queue is full. REQUIRES: `work` does not throw.
  [[nodiscard]] bool post(std::function<void()> work);

  std::size_t thread_count() const;
  std::size_t max_threads() const { return max_threads_; }

 private:
  void work_loop();
  // Unlocks `lock`.
  void wake_another(std::unique_lock<std::mutex>& lock);

  const std::size_t max_threads_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool is_waking_ = false;  // A notified thread is not running yet.
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace lamarck::mcp
