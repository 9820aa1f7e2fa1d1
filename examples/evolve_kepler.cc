// Finds Kepler's third law from eight planets: the period in years as a
// function of the semi-major axis in astronomical units.

#include <cmath>
#include <cstdio>

#include "lamarck/data/csv.h"
#include "lamarck/law/law_search.h"

using namespace lamarck;
using namespace lamarck::law;

namespace {

Result<LawSearchResult> search() {
  LAMARCK_ASSIGN_OR_RETURN(const data::Table planets,
                           data::read_csv("tests/data/planets.csv"));
  LAMARCK_ASSIGN_OR_RETURN(const gp::RegressionProblem problem,
                           gp::regression_problem(planets, "period", {"axis"}));
  LawSearchOptions options;
  options.evolver.budget.evaluations = 20'000;
  return find_laws(problem, options);
}

}  // namespace

int main() {
  const auto found = search();
  if (!found) {
    std::printf("%s\n", found.error().message().c_str());
    return 1;
  }
  for (const Law& law : found->front) {
    std::printf("%2zu nodes, NMSE %.2g: period = %s\n", law.size, law.nmse,
                formula::to_infix(law.formula, &law.params, 4).c_str());
  }
  // The square of the period is the cube of the axis: 16^1.5 is 64.
  const Law& law = found->front[found->best];
  const double axis[] = {16};
  const double period =
      formula::evaluate_row(law.formula.body, axis, law.params);
  std::printf("a planet at 16 units would have a period of %.1f years\n",
              period);
  return std::abs(period - 64) < 1 ? 0 : 1;
}
