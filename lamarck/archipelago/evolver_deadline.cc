#include "lamarck/archipelago/evolver_deadline.h"

#include <chrono>

namespace lamarck::archipelago {
namespace {

// The thread polls instead of sleeping until the deadline, because a test may
// advance the clock by hand.
constexpr std::chrono::milliseconds kPollInterval(10);

}  // namespace

EvolverDeadline::EvolverDeadline(Budget& budget, CancelSource& source) {
  if (!budget.limits().wall_time) return;
  thread_ = std::thread([&budget, &source, done = done_.token()] {
    do {
      if (budget.left(Resource::WallTime) != 0) continue;
      // check() returns the message for the user.
      if (const auto ended = budget.check(); !ended) {
        source.cancel(ended.error().message());
      }
      return;
    } while (!done.wait_for(kPollInterval));
  });
}

EvolverDeadline::~EvolverDeadline() {
  done_.cancel("The run is over.");
  if (thread_.joinable()) thread_.join();
}

}  // namespace lamarck::archipelago
