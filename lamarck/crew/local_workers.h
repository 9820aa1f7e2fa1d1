// The threads of one process that compute pieces.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/crew/crew.h"
#include "lamarck/crew/crew_message.h"

namespace lamarck::crew {

struct LocalResult {
  std::uint64_t step = 0;
  PieceResult result;
  double seconds = 0;  // That it took.
};

// Thread safety: one thread uses the public members.
class LocalWorkers {
 public:
  // `wake` is called by any thread when a result is ready.
  LocalWorkers(std::size_t threads, std::function<void()> wake);
  // Waits for the pieces that are being computed.
  ~LocalWorkers();
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

  std::size_t size() const { return threads_.size(); }

  // `work` must stay valid until `stop` returns.
  void start(std::uint64_t step, std::vector<Piece> pieces, const Work& work);
  // Waits until `take` has something to return, up to `patience`.
  void wait_for_result(std::chrono::microseconds patience);
  // The results since the last call.
  std::vector<LocalResult> take();
  // Drops what waits, and returns when nothing is being computed.
  void stop();

 private:
  struct Job {
    std::uint64_t step = 0;
    Piece piece;
    const Work* work = nullptr;
  };
  void run();

  const std::function<void()> wake_;
  SystemClock clock_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable changed_;
  std::condition_variable has_result_;
  std::deque<Job> jobs_;
  std::vector<LocalResult> results_;
  std::size_t busy_ = 0;
  bool is_over_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace lamarck::crew
