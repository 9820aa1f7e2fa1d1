// Finds the acceleration of a damped nonlinear oscillator from position and
// velocity, and tests whether the law holds beyond the range of the data.

#include <cmath>
#include <cstdio>

#include "lamarck/base/rng.h"
#include "lamarck/law/law_search.h"

using namespace lamarck;
using namespace lamarck::law;

namespace {

double acceleration(double x, double v) {
  return -0.5 * x * x * x - 0.2 * v - 0.5 * std::sin(x);
}

// Draws position and velocity uniformly from [-range, range].
gp::RegressionProblem sample_motion(double range, std::size_t rows,
                                    std::uint64_t seed) {
  gp::RegressionProblem problem{.input_names = {"x", "v"}, .target_name = "a"};
  problem.inputs.resize(2);
  Rng rng(seed);
  for (std::size_t row = 0; row < rows; ++row) {
    const double x = rng.uniform(-range, range);
    const double v = rng.uniform(-range, range);
    problem.inputs[0].push_back(x);
    problem.inputs[1].push_back(v);
    problem.target.push_back(acceleration(x, v));
  }
  return problem;
}

}  // namespace

int main() {
  LawSearchOptions options;
  options.evolver.budget.evaluations = 60'000;
  const auto found = find_laws(sample_motion(2, 200, 1), options);
  if (!found) {
    std::printf("%s\n", found.error().message().c_str());
    return 1;
  }
  const Law& law = found->front[found->best];
  const double beyond =
      law_nmse(law.formula.body, law.params, sample_motion(4, 200, 2));
  std::printf("a = %s\n",
              formula::to_infix(law.formula, &law.params, 4).c_str());
  std::printf("NMSE %.2g in the range of the data, %.2g in twice that range\n",
              law.nmse, beyond);
  return law.nmse < 1e-3 ? 0 : 1;
}
