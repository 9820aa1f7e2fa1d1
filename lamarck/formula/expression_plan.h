// An expression compiled for evaluation over many rows: values, and exact
// derivatives with respect to its params.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// Columns of data: one pointer per input, each to `rows` doubles of any
// alignment.
struct Columns {
  std::span<const double* const> inputs;
  std::size_t rows = 0;
};

// Keeps its buffers between calls. Thread safety: owned by one thread at a
// time; make one plan per thread.
class ExpressionPlan {
 public:
  explicit ExpressionPlan(Expression expression);
  ~ExpressionPlan();
  ExpressionPlan(ExpressionPlan&&) noexcept;
  ExpressionPlan& operator=(ExpressionPlan&&) noexcept;

  const Expression& expression() const;

  // Computes values[row]. REQUIRES: at least as many columns and params as the
  // expression needs, and values.size() == columns.rows.
  void values(const Columns& columns, std::span<const double> params,
              std::span<double> values);
  // Also computes jacobian[param * rows + row] = d value / d param, which is 0
  // for a param that the expression does not use.
  void values_and_jacobian(const Columns& columns,
                           std::span<const double> params,
                           std::span<double> values,
                           std::span<double> jacobian);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Evaluates one row with `apply`: slow but simple, for tests and small jobs.
double evaluate_row(const Expression& expression,
                    std::span<const double> inputs,
                    std::span<const double> params);

}  // namespace lamarck::formula
