// A hill climber that adapts its step size: a bandit chooses between three
// sizes, threads try eight children at a time, and a budget ends the search.

#include <array>
#include <iostream>
#include <vector>

#include "lamarck/base/bandit.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/rng.h"
#include "lamarck/base/thread_pool.h"

using namespace lamarck;

using Point = std::array<double, 2>;

double rosenbrock(const Point& p) {  // Minimum 0 at (1, 1).
  const double a = 1 - p[0];
  const double b = p[1] - p[0] * p[0];
  return a * a + 100 * b * b;
}

int main() {
  constexpr std::array kStepSizes = {1.0, 0.1, 0.01};
  const Rng rng(42);  // The thread count does not change the result.
  ThreadPool pool;
  SystemClock clock;
  Budget budget({.evaluations = 20'000}, clock);
  Bandit bandit(kStepSizes.size());
  Point best = {-1, 1};

  for (std::uint64_t round = 0;; ++round) {
    auto reservation = budget.reserve({.evaluations = 8});
    if (!reservation) {
      std::cout << reservation.error().message() << "\n";
      break;
    }
    const std::size_t arm = bandit.choose();
    const auto children = pool.parallel_map(8, [&](std::size_t i) {
      Rng own = rng.split(round).split(i);
      const double step = kStepSizes[arm];
      return Point{own.normal(best[0], step), own.normal(best[1], step)};
    });
    const Point before = best;
    for (const Point& child : children) {
      if (rosenbrock(child) < rosenbrock(best)) best = child;
    }
    bandit.update(arm, best != before ? 1.0 : 0.0);
    reservation->settle({.evaluations = 8});
  }

  std::cout << "minimum " << rosenbrock(best) << " at (" << best[0] << ", "
            << best[1] << ")\n";
  for (std::size_t arm = 0; arm < kStepSizes.size(); ++arm) {
    std::cout << "steps of " << kStepSizes[arm] << ": tried "
              << bandit.tries(arm) << " times\n";
  }
}
