// The sum of squared differences between an expression and a target, as a
// function of the params, and ways to make it smaller.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/gram_matrix.h"

namespace lamarck::formula {

struct DescentOptions {
  int iterations = 50;       // Steps, taken or not.
  double tolerance = 1e-12;  // Ends when a step's relative gain is less.
  // After each step the linear params are solved for anew: dearer, but it
  // leads to the others from further away (variable projection).
  bool projects = false;
};

// The plan, the data and the mask of linear params must live as long.
class LeastSquares {
 public:
  LeastSquares(ExpressionPlan& plan, const Columns& columns,
               std::span<const double> target,
               std::span<const std::uint8_t> linear);

  // Infinite if some value is not finite.
  double cost(std::span<const double> params);
  // Brings the linear params to where the cost is least, given the others.
  // Returns the cost, which is never higher than before.
  double project(std::vector<double>& params);
  // Levenberg and Marquardt's method; never ends higher than it began.
  double descend(std::vector<double>& params, const DescentOptions& options,
                 const CancelToken& cancel);

  std::size_t rows() const { return columns_.rows; }
  // How many rows' values or derivatives were computed so far.
  std::size_t computed_rows() const { return computed_rows_; }

 private:
  struct Damping {
    double value = 1e-3;
    double growth = 2;
    void fall(double gain_ratio);
    void rise();
  };

  std::span<double> residuals();
  double squares_of_residuals();
  // Returns the cost, and the products of the Jacobian's columns and the
  // residuals.
  double linearize(std::span<const double> params, std::span<double> gram);
  double predicted_gain(std::span<const double> step, double damping) const;
  bool has_both_kinds() const;

  ExpressionPlan& plan_;
  Columns columns_;
  std::span<const double> target_;
  std::span<const std::uint8_t> linear_;
  std::size_t params_;
  double floor_ = 0;  // A cost that is only rounding.
  std::size_t computed_rows_ = 0;
  std::vector<double> matrix_;  // The Jacobian, and behind it the residuals.
  std::vector<double> gram_;
  std::vector<double> other_gram_;  // While linear params are solved for.
  std::vector<std::uint8_t> all_;   // Ones.
  DampedSolver solver_;
};

}  // namespace lamarck::formula
