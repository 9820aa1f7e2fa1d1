#include "lamarck/crew/local_workers.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace lamarck::crew {
namespace {

PieceResult compute(const Piece& piece, const Work& work) {
  try {
    return {.index = piece.index,
            .bytes = work(static_cast<std::size_t>(piece.index), piece.input)};
  } catch (const std::exception& failure) {
    return {.index = piece.index, .has_failed = true, .bytes = failure.what()};
  }
}

}  // namespace

LocalWorkers::LocalWorkers(std::size_t threads, std::function<void()> wake)
    : wake_(std::move(wake)) {
  const std::size_t cores =
      std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t count = threads == 0 ? cores : threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this] { run(); });
  }
}

LocalWorkers::~LocalWorkers() {
  {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void LocalWorkers::start(std::uint64_t step, std::vector<Piece> pieces,
                         const Work& work) {
  {
    const std::lock_guard lock(mutex_);
    for (Piece& piece : pieces) {
      jobs_.push_back({step, std::move(piece), &work});
    }
  }
  changed_.notify_all();
}

void LocalWorkers::wait_for_result(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  has_result_.wait_for(lock, patience, [this] { return !results_.empty(); });
}

std::vector<LocalResult> LocalWorkers::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_, {});
}

void LocalWorkers::stop() {
  std::unique_lock lock(mutex_);
  jobs_.clear();
  changed_.wait(lock, [this] { return busy_ == 0; });
  results_.clear();
}

void LocalWorkers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !jobs_.empty(); });
    if (is_over_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++busy_;
    lock.unlock();
    const auto begin = clock_.elapsed();
    PieceResult result = compute(job.piece, *job.work);
    const std::chrono::duration<double> taken = clock_.elapsed() - begin;
    lock.lock();
    --busy_;
    results_.push_back({job.step, std::move(result), taken.count()});
    if (busy_ == 0) changed_.notify_all();
    lock.unlock();
    has_result_.notify_one();
    wake_();
    lock.lock();
  }
}

}  // namespace lamarck::crew
