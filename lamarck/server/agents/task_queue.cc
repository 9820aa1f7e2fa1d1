#include "lamarck/server/agents/task_queue.h"

#include <algorithm>
#include <utility>

namespace lamarck::server {

TaskQueue::TaskQueue(std::size_t parallel, Work work)
    : parallel_(std::max<std::size_t>(1, parallel)), work_(std::move(work)) {}

TaskQueue::~TaskQueue() { stop("The server is stopping."); }

void TaskQueue::add(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
    waiting_.push_back(id);
    if (idle_ < waiting_.size() && threads_.size() < parallel_) {
      threads_.emplace_back([this] { run(); });
    }
  }
  changed_.notify_all();
}

TaskQueue::Found TaskQueue::cancel(const std::string& id,
                                   const std::string& reason) {
  const std::lock_guard lock(mutex_);
  const bool was_waiting = std::erase(waiting_, id) > 0;
  const auto found = working_.find(id);
  if (found != working_.end()) {
    found->second->cancel(reason);
    return Found::Working;
  }
  return was_waiting ? Found::Waiting : Found::Nowhere;
}

bool TaskQueue::contains(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return working_.contains(id) ||
         std::ranges::find(waiting_, id) != waiting_.end();
}

void TaskQueue::stop(const std::string& reason) {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    waiting_.clear();
    for (const auto& [id, source] : working_) source->cancel(reason);
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

std::deque<std::string>::iterator TaskQueue::find_next() {
  return std::ranges::find_if(waiting_, [this](const std::string& id) {
    return !working_.contains(id);
  });
}

void TaskQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(
        lock, [&] { return is_stopping_ || find_next() != waiting_.end(); });
    --idle_;
    if (is_stopping_) return;
    const auto next = find_next();
    const std::string id = *next;
    waiting_.erase(next);
    const CancelToken token =
        working_.emplace(id, std::make_unique<CancelSource>())
            .first->second->token();
    lock.unlock();
    work_(id, token);
    lock.lock();
    working_.erase(id);
    changed_.notify_all();
  }
}

}  // namespace lamarck::server
