// A few threads that work on tasks by their ids, in the order of arrival. No
// task is worked on twice at the same time.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lamarck/base/cancel_token.h"

namespace lamarck::server {

// Thread safety: all members may be called from any thread.
class TaskQueue {
 public:
  using Work = std::function<void(const std::string& id, const CancelToken&)>;
  // Threads start when they are needed, at most `parallel`.
  TaskQueue(std::size_t parallel, Work work);
  // Calls `stop`.
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  void add(const std::string& id);

  enum class Found : std::uint8_t {
    Nowhere,
    Waiting,  // It was taken out of the queue.
    Working,  // Its token is cancelled.
  };
  Found cancel(const std::string& id, const std::string& reason);
  bool contains(const std::string& id);

  // Cancels all work with this reason and waits for it. What waits stays
  // undone.
  void stop(const std::string& reason);

 private:
  void run();
  // The first waiting task that nobody works on; end() = none.
  std::deque<std::string>::iterator find_next();

  const std::size_t parallel_;
  const Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::string> waiting_;
  std::map<std::string, std::unique_ptr<CancelSource>> working_;
  std::size_t idle_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace lamarck::server
