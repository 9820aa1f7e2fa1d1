// Formulas found for a table: their front of size and error, and the choice
// among them.

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
  double nmse = 0;       // MSE / var(y) of all rows.
  // The same on rows the law was not fitted to (law_foresight.h); 0 if that was
  // not tested.
  double extrapolated = 0;
  std::uint64_t id = 0;  // The id of the function in the run.
};

// Laws from small to large, none of which is both larger and worse than
// another. A very small error could also belong to an approximation of the law,
// so the error of extrapolation counts instead.
class LawFront {
 public:
  // Returns whether the law was inserted. Removes laws that it beats.
  bool insert(Law law);
  const std::vector<Law>& laws() const { return laws_; }

 private:
  std::vector<Law> laws_;
};

// Returns MSE / var(y) of the formula over all rows, or infinity if a value is
// not finite. If y is constant: 0 if every value is exact, else infinity.
double law_nmse(const formula::Expression& body,
                const std::vector<double>& params,
                const gp::RegressionProblem& problem);

// Returns the index of the law to recommend: the one with the shortest
// description of rows and formula together, where the error of extrapolation
// counts as much as the error of the fit. REQUIRES: `front` is not empty.
std::size_t chosen_law(const std::vector<Law>& front,
                       const gp::RegressionProblem& problem);

}  // namespace lamarck::law
