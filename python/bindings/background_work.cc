#include "python/bindings/background_work.h"

namespace lamarck::python {
namespace py = pybind11;

namespace {
// How long Ctrl-C may go unheard.
constexpr std::chrono::milliseconds kPeriod{20};
}  // namespace

void BackgroundWork::report(MakeEvent make_event) {
  if (!has_callback()) return;
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(make_event));
  changed_.notify_one();
}

void BackgroundWork::finish() {
  const std::lock_guard lock(mutex_);
  is_finished_ = true;
  changed_.notify_one();
}

void BackgroundWork::watch() {
  for (bool is_finished = false; !is_finished;) {
    std::deque<MakeEvent> events;
    {
      const py::gil_scoped_release release;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kPeriod,
                        [&] { return is_finished_ || !events_.empty(); });
      events.swap(events_);
      is_finished = is_finished_;
    }
    call_back(events);
    look_for_signal();
  }
}

void BackgroundWork::look_for_signal() {
  if (was_interrupted_ || raised_ || PyErr_CheckSignals() == 0) return;
  const bool is_ctrl_c = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
  py::error_already_set raised;
  if (is_ctrl_c) {
    was_interrupted_ = true;
  } else {
    raised_.emplace(std::move(raised));
  }
  source_.cancel("Interrupted.");
}

void BackgroundWork::call_back(const std::deque<MakeEvent>& events) {
  for (const MakeEvent& make_event : events) {
    if (was_interrupted_ || raised_) return;
    try {
      const py::object answer = callback_(make_event());
      if (answer.ptr() == Py_False) source_.cancel("The callback ended it.");
    } catch (py::error_already_set& raised) {
      if (raised.matches(PyExc_KeyboardInterrupt)) {
        was_interrupted_ = true;
      } else {
        raised_.emplace(raised);
      }
      source_.cancel("The callback failed.");
    }
  }
}

}  // namespace lamarck::python
