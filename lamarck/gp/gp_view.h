// Another way to look at the rows: y = factor * g(u, v, ...), where u, v, ...
// are small expressions of the inputs, such as x1 - x2 or m*v**2. A law that is
// long in the inputs can be short in a view with fewer of them.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_tree.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

struct GpView {
  std::vector<GpTree> inputs;  // u, v, ... in terms of the problem's inputs.
  GpTree factor;               // Empty for 1.

  friend bool operator==(const GpView&, const GpView&) = default;
};

// The inputs themselves.
GpView plain_view(std::size_t inputs);

// Returns the tree with input i replaced by inputs[i].
GpTree substituted(const GpTree& tree, const std::vector<GpTree>& inputs);

// Returns base ** exponent without Op::Pow if the exponent is a multiple of 1/2
// between -4 and 4. REQUIRES: exponent != 0.
GpTree gp_power(const GpTree& base, double exponent);

// Returns a * b or, if b is a reciprocal, a / b. An empty tree counts as 1.
GpTree gp_product(const GpTree& a, const GpTree& b);

// Converts a model of g to a model of y. It must be fitted again.
GpModel seen_plainly(const GpModel& model, const GpView& view);

// A problem as its view shows it.
struct ViewedProblem {
  GpView view;
  RegressionProblem problem;   // The target is y / factor.
  std::vector<double> factor;  // By row; empty if the view has no factor.

  // Whether all values are finite, so that it can be searched.
  bool is_finite() const;
};
ViewedProblem viewed(const RegressionProblem& problem, const GpView& view);

// The values of a tree at all rows of the problem.
std::vector<double> tree_values(const GpTree& tree,
                                const RegressionProblem& problem);

}  // namespace lamarck::gp
