#include "lamarck/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace lamarck {
namespace {

// One parallel_for call. Threads claim indices in ascending order, so when
// index i fails, every lower index has been claimed and will run. The lowest
// failure is therefore always found.
class Loop {
 public:
  Loop(std::size_t count, std::size_t threads,
       const std::function<void(std::size_t)>& work, const CancelToken& cancel)
      : count_(count), threads_(threads), work_(work), cancel_(cancel) {}

  // Claims and runs ranges until none is left.
  void run() {
    for (;;) {
      const auto [begin, end] = claim();
      if (begin == end) return;
      const std::size_t done = run_range(begin, end);
      const std::lock_guard lock(mutex_);
      done_ += done;
      finished_ += end - begin;
      if (finished_ == claimed_) idle_.notify_all();
    }
  }

  bool is_exhausted() {
    const std::lock_guard lock(mutex_);
    return claimed_ == count_ || stopped_;
  }

  // Waits for ranges claimed by other threads, then rethrows the lowest
  // failure. Returns whether every index was done.
  bool finish() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return finished_ == claimed_; });
    // Move the exception out, so that a late worker does not destroy it.
    if (const auto failure = std::exchange(failure_, nullptr)) {
      std::rethrow_exception(failure);
    }
    return done_ == count_;
  }

 private:
  // Claims the next range. Ranges shrink towards the end to balance the load.
  std::pair<std::size_t, std::size_t> claim() {
    const std::lock_guard lock(mutex_);
    // Check this first: a late worker may arrive after parallel_for returned,
    // when the caller's token no longer exists.
    if (stopped_ || claimed_ == count_) return {0, 0};
    stopped_ = cancel_.is_cancelled();
    if (stopped_) return {0, 0};
    const std::size_t left = count_ - claimed_;
    const std::size_t size =
        std::min(left, std::max<std::size_t>(1, left / (threads_ * 4)));
    const std::size_t begin = claimed_;
    claimed_ += size;
    return {begin, begin + size};
  }

  // Returns how many indices were done.
  std::size_t run_range(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i != begin && cancel_.is_cancelled()) return i - begin;
      try {
        work_(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        if (!failure_ || i < failed_index_) {
          failure_ = std::current_exception();
          failed_index_ = i;
        }
        return i - begin;
      }
    }
    return end - begin;
  }

  // Set at construction; the references are valid while indices are claimed.
  const std::size_t count_;
  const std::size_t threads_;
  const std::function<void(std::size_t)>& work_;
  const CancelToken& cancel_;

  std::mutex mutex_;
  std::condition_variable idle_;
  // Guarded by mutex_.
  bool stopped_ = false;
  std::size_t claimed_ = 0;
  std::size_t finished_ = 0;  // Claimed indices that are done or skipped.
  std::size_t done_ = 0;
  std::exception_ptr failure_;
  std::size_t failed_index_ = 0;
};

}  // namespace

struct ThreadPool::State {
  explicit State(std::size_t thread_count) : size(thread_count) {
    try {
      for (std::size_t i = 1; i < size; ++i) {
        workers.emplace_back([this] { work(); });
      }
    } catch (...) {  // The system cannot create more threads.
      close();
      throw;
    }
  }

  ~State() { close(); }

  void close() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
    }
    waiting.notify_all();
    for (std::thread& worker : workers) worker.join();
    workers.clear();
  }

  void work() {
    for (;;) {
      std::shared_ptr<Loop> loop;
      {
        std::unique_lock lock(mutex);
        waiting.wait(lock, [this] { return closing || !loops.empty(); });
        if (closing) return;
        loop = loops.front();
        if (loop->is_exhausted()) {
          loops.pop_front();
          continue;
        }
      }
      loop->run();
    }
  }

  void add(const std::shared_ptr<Loop>& loop) {
    {
      const std::lock_guard lock(mutex);
      loops.push_back(loop);
    }
    waiting.notify_all();
  }

  void remove(const std::shared_ptr<Loop>& loop) {
    const std::lock_guard lock(mutex);
    std::erase(loops, loop);
  }

  const std::size_t size;
  std::vector<std::thread> workers;

  std::mutex mutex;
  std::condition_variable waiting;
  // Guarded by mutex.
  bool closing = false;
  std::deque<std::shared_ptr<Loop>> loops;  // Loops with unclaimed indices.
};

ThreadPool::ThreadPool(std::size_t threads)
    : state_(std::make_unique<State>(
          threads > 0 ? threads
                      : std::max(1u, std::thread::hardware_concurrency()))) {}

ThreadPool::~ThreadPool() = default;

std::size_t ThreadPool::size() const { return state_->size; }

void ThreadPool::parallel_for(std::size_t count,
                              const std::function<void(std::size_t)>& work) {
  static_cast<void>(parallel_for(count, work, CancelToken()));
}

bool ThreadPool::parallel_for(std::size_t count,
                              const std::function<void(std::size_t)>& work,
                              const CancelToken& cancel) {
  if (count == 0) return true;
  const auto loop = std::make_shared<Loop>(count, size(), work, cancel);
  // The caller works too, so a loop inside a loop cannot deadlock.
  const bool is_shared = count > 1 && size() > 1;
  if (is_shared) state_->add(loop);
  loop->run();
  if (is_shared) state_->remove(loop);
  return loop->finish();
}

}  // namespace lamarck
