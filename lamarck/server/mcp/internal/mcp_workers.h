// Threads for handlers that wait: started when needed, never more than a
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

// Thread safety: any member from any thread.
class McpWorkers {
 public:
  // Work that waits for a thread; more is refused.
  static constexpr std::size_t kMaxWaiting = 10'000;

  explicit McpWorkers(std::size_t max_threads);
  ~McpWorkers();  // Does what waits, then ends.
  McpWorkers(const McpWorkers&) = delete;
  McpWorkers& operator=(const McpWorkers&) = delete;

  // Returns whether there is room for it. Work does not throw.
  [[nodiscard]] bool post(std::function<void()> work);

  std::size_t thread_count() const;

 private:
  void work_loop();
  // Unlocks.
  void wake_another(std::unique_lock<std::mutex>& lock);

  const std::size_t max_threads_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool is_waking_ = false;  // Somebody is woken and not there yet.
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace lamarck::mcp
