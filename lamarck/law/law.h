// Formulas that were found for a table, from short to exact.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/formula/formula.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::law {

struct Law {
  formula::Formula formula;
  std::vector<double> params;
  std::size_t size = 0;  // Nodes.
  double nmse = 0;       // Of all rows: MSE / var(y).
  // Of rows it was not fitted to, if that was tried (law_foresight.h).
  double foretold = 0;
  std::uint64_t id = 0;  // Of the function in the run.
};

// No law of a front is both larger and worse than another, where an error so
// small that a stand-in may have it counts as what it foretells. From small to
// large.
class LawFront {
 public:
  // Whether it was taken.
  bool insert(Law law);
  const std::vector<Law>& laws() const { return laws_; }

 private:
  std::vector<Law> laws_;
};

// MSE / var(y) of the formula over the table's rows; infinite if a value is not
// finite. Where y never changes: 0 if every value is exact, else infinite.
double law_nmse(const formula::Expression& body,
                const std::vector<double>& params,
                const gp::RegressionProblem& problem);

// Which law of the front to believe, by its place in it: the shortest
// description of rows and formula together, and where rows repeat levels of an
// input, what predicts levels that it has not seen. REQUIRES: not empty.
std::size_t chosen_law(const std::vector<Law>& front,
                       const gp::RegressionProblem& problem);

}  // namespace lamarck::law
