// The sum of squared residuals of an expression as a function of its params,
// and methods to minimize it.

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
  int iterations = 50;       // Steps, accepted or rejected.
  double tolerance = 1e-12;  // Stops if a step's relative gain is smaller.
  // Solves for the linear params again after each step (variable projection).
  // This costs more, but converges from starts that are further away.
  bool projects = false;
};

// The plan, the data and the mask of linear params must outlive it. If there
// are weights, the squares of the residuals are multiplied by them.
class LeastSquares {
 public:
  LeastSquares(ExpressionPlan& plan, const Columns& columns,
               std::span<const double> target,
               std::span<const std::uint8_t> linear,
               std::span<const double> weights = {});

  // The sum of squares; infinite if a value is not finite.
  double cost(std::span<const double> params);
  // Sets the linear params to their optimum for the given nonlinear ones.
  // Returns the cost, which is never higher than before.
  double project(std::vector<double>& params);
  // Levenberg-Marquardt from `params`; returns the cost, which is never higher
  // than at the start.
  double descend(std::vector<double>& params, const DescentOptions& options,
                 const CancelToken& cancel);

  std::size_t rows() const { return columns_.rows; }
  // The sum of the weights; the number of rows if there are none.
  double total_weight() const { return total_weight_; }
  // The number of rows evaluated so far, with or without derivatives.
  std::size_t computed_rows() const { return computed_rows_; }

 private:
  struct Damping {
    double value = 1e-3;
    double growth = 2;
    void fall(double gain_ratio);
    void rise();
  };

  // Multiplies a column by the roots of the weights.
  void weigh(std::span<double> column) const;
  std::span<double> residuals();
  double squares_of_residuals();
  // Returns the cost, and writes the Gram matrix of the Jacobian's columns and
  // the residuals.
  double linearize(std::span<const double> params, std::span<double> gram);
  double predicted_gain(std::span<const double> step, double damping) const;
  bool has_both_kinds() const;

  ExpressionPlan& plan_;
  Columns columns_;
  std::span<const double> target_;
  std::span<const std::uint8_t> linear_;
  std::size_t params_;
  std::vector<double> roots_;  // Of the weights; empty if there are none.
  double total_weight_ = 0;
  double floor_ = 0;  // The cost of rounding alone.
  std::size_t computed_rows_ = 0;
  std::vector<double> matrix_;  // The Jacobian, followed by the residuals.
  std::vector<double> gram_;
  std::vector<double> other_gram_;  // Used by project().
  std::vector<std::uint8_t> all_;   // A mask of ones.
  DampedSolver solver_;
};

}  // namespace lamarck::formula
