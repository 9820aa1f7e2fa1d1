// A smooth model of a table, for its derivatives: polynomials of all inputs,
// or of the sines and cosines of some, fitted by least squares. The derivatives
// show symmetries of the law behind the table long before the law is known.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

// The target of the polynomial, as a function of y.
enum class SmoothTarget : std::uint8_t { Plain, Log, Inverse, Square };

struct SmoothForm {
  SmoothTarget target = SmoothTarget::Plain;
  bool has_log_inputs = false;  // Polynomials of log(x) where x is positive.
  // By input, or empty for none: sin(x), cos(x), sin(2 x), ... instead of
  // powers of x.
  std::vector<std::uint8_t> angles;
};

struct SmoothFit {
  // The mean square error of y * weight on held-out rows; infinite if the form
  // is not possible, as the logarithm of a negative target.
  double error = 0;
  // The rows that were used; all vectors below have a value for each.
  std::vector<std::size_t> rows;
  std::vector<double> z;
  // d z / d input: [input][row]. Empty unless wanted.
  std::vector<std::vector<double>> slopes;
  // z changes by scaling[row] * epsilon if y changes by y * epsilon.
  std::vector<double> scaling;
};

// `weight` has a value for each row, or none if all count the same. The number
// of terms is limited by the rows and by a constant, so the time is bounded.
SmoothFit fit_smooth(const RegressionProblem& problem,
                     const std::vector<double>& weight, const SmoothForm& form,
                     bool wants_slopes);

}  // namespace lamarck::gp
