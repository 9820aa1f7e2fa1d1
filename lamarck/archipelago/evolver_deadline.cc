#include "lamarck/archipelago/evolver_deadline.h"

#include <chrono>

namespace lamarck::archipelago {
namespace {

// It looks so often, rather than sleeping to the end: the clock may be one that
// somebody else advances.
constexpr std::chrono::milliseconds kLook(10);

}  // namespace

EvolverDeadline::EvolverDeadline(Budget& budget, CancelSource& source) {
  if (!budget.limits().wall_time) return;
  thread_ = std::thread([&budget, &source, done = done_.token()] {
    do {
      if (budget.left(Resource::WallTime) != 0) continue;
      // The budget notices its own end, and says it in a sentence.
      if (const auto ended = budget.check(); !ended) {
        source.cancel(ended.error().message());
      }
      return;
    } while (!done.wait_for(kLook));
  });
}

EvolverDeadline::~EvolverDeadline() {
  done_.cancel("The run is over.");
  if (thread_.joinable()) thread_.join();
}

}  // namespace lamarck::archipelago
