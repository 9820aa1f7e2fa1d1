// Runs long work in a thread of its own, while the calling thread looks for
// Ctrl-C and calls back. Only the main thread of Python hears signals, and it
// must not be stuck in C++ meanwhile.

#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "lamarck/base/cancel_token.h"

namespace lamarck::python {

class BackgroundWork {
 public:
  // Makes the argument of the callback; runs with the GIL.
  using MakeEvent = std::function<pybind11::object()>;

  // `callback` may be None. If it returns False, the work is cancelled.
  explicit BackgroundWork(pybind11::object callback)
      : callback_(std::move(callback)) {}

  CancelToken token() const { return source_.token(); }
  bool has_callback() const { return !callback_.is_none(); }
  // Whether Ctrl-C ended the work.
  bool was_interrupted() const { return was_interrupted_; }

  // May be called from any thread, without the GIL. Calls back soon, from the
  // thread of `run`.
  void report(MakeEvent make_event);

  // Returns what `work` returns, which should end soon after the token is
  // cancelled. Releases the GIL. An exception of the callback cancels the work
  // and is thrown afterwards.
  template <class Work>
  auto run(Work work) {
    auto future = std::async(std::launch::async, [&] {
      // Wakes the caller even if the work throws.
      const Finish finish{*this};
      return work();
    });
    watch();
    auto result = future.get();
    if (raised_) throw std::move(*raised_);
    return result;
  }

 private:
  struct Finish {
    BackgroundWork& work;
    ~Finish() { work.finish(); }
  };

  void finish();
  // Returns after the work has finished.
  void watch();
  void look_for_signal();
  void call_back(const std::deque<MakeEvent>& events);

  CancelSource source_;
  pybind11::object callback_;
  bool was_interrupted_ = false;
  std::optional<pybind11::error_already_set> raised_;
  std::condition_variable changed_;
  std::mutex mutex_;
  std::deque<MakeEvent> events_;
  bool is_finished_ = false;
};

}  // namespace lamarck::python
