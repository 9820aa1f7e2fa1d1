// Formulas found for a table: their front of size and error, and the choice
// among them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/formula/exactness.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/rewriting/simple_number.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::law {

struct Law {
  formula::Formula formula;
  std::vector<double> params;
  std::size_t size = 0;  // Nodes.
  double nmse = 0;       // MSE / var(y) of all rows.
  // The same on rows the law was not fitted to (law_extrapolation.h); 0 if that
  // was not tested.
  double extrapolated = 0;
  std::uint64_t id = 0;  // The id of the function in the run.
  // Numbers that were written as fractions, roots or multiples of pi.
  std::vector<formula::WrittenConstant> recognized;
  // The standard deviation of each param; empty if it is unknown or the law is
  // exact. Infinite if the rows do not determine the param.
  std::vector<double> deviations;

  // Whether only rounding is left of the error, also beyond the fitted rows.
  bool is_exact() const {
    return nmse < formula::kExactNmse &&
           extrapolated < formula::kExactBeyondNmse;
  }
};

// Laws from small to large, none of which is both larger and worse than
// another. Of two laws of the same size, the one with fewer params counts as
// smaller. A very small error could also belong to an approximation of the law,
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

// The description length in nats, up to a constant that all laws share (minimum
// description length principle, with the noise unknown):
//   (n - k)/2 log(error)   the n rows, given the law with its k constants
//   k/2 log(n)             the constants, to the precision that n rows support
//   size log(8)            the nodes, at about 8 choices per node
// Each constant uses up a row, which matters for small tables. The error is
// that of the fit or, if it was tested, its geometric mean with that of
// extrapolation. Infinite if there are too few rows for the constants.
double description_length(const Law& law, std::size_t rows);

// Returns the index of the law to recommend: the one with the shortest
// description of rows and formula together, where the error of extrapolation
// counts as much as the error of the fit. REQUIRES: `front` is not empty.
std::size_t chosen_law(const std::vector<Law>& front,
                       const gp::RegressionProblem& problem);

}  // namespace lamarck::law
