#include "lamarck/gp/gp_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lamarck/formula/expression_plan.h"

namespace lamarck::gp {

using formula::Op;

namespace {

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

// The sum of the terms divided by the first coefficient, which the coefficient
// of the whole expresses.
GpTree scaled_sum(const GpModel& model) {
  const double unit = model.coefficients[0];
  GpTree sum = model.terms[0];
  for (std::size_t t = 1; t < model.terms.size(); ++t) {
    const GpTree part = gp_apply(Op::Mul, model.terms[t],
                                 gp_constant(model.coefficients[t] / unit));
    sum = gp_apply(Op::Add, sum, part);
  }
  if (!model.has_intercept) return sum;
  return gp_apply(Op::Add, sum, gp_constant(model.intercept / unit));
}

}  // namespace

GpView plain_view(std::size_t inputs) {
  GpView view;
  for (std::size_t i = 0; i < inputs; ++i) view.inputs.push_back(gp_input(i));
  return view;
}

GpTree substituted(const GpTree& tree, const std::vector<GpTree>& inputs) {
  std::vector<GpTree> stack;
  for (const GpNode& node : tree) {
    const int count = formula::operation(node.op).arity;
    if (node.op == Op::Input) {
      stack.push_back(inputs[node.input]);
    } else if (count == 0) {
      stack.push_back({node});
    } else if (count == 1) {
      stack.back() = gp_apply(node.op, stack.back());
    } else {
      const GpTree b = std::move(stack.back());
      stack.pop_back();
      stack.back() = gp_apply(node.op, stack.back(), b);
    }
  }
  return stack.back();
}

GpTree gp_power(const GpTree& base, double exponent) {
  const double size = std::fabs(exponent);
  GpTree tree;
  if (size == 0.5) {
    tree = gp_apply(Op::Sqrt, base);
  } else if (size == 1) {
    tree = base;
  } else if (size == 2) {
    tree = gp_apply(Op::Square, base);
  } else if (size == 3) {
    tree = gp_apply(Op::Cube, base);
  } else if (size == 4) {
    tree = gp_apply(Op::Square, gp_apply(Op::Square, base));
  } else if (size == 1.5 || size == 2.5 || size == 3.5) {
    tree =
        gp_apply(Op::Mul, gp_power(base, size - 0.5), gp_apply(Op::Sqrt, base));
  } else {
    return gp_apply(Op::Pow, base, gp_constant(exponent));
  }
  return exponent < 0 ? gp_apply(Op::Reciprocal, tree) : tree;
}

GpTree gp_product(const GpTree& a, const GpTree& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  if (b.back().op != Op::Reciprocal) return gp_apply(Op::Mul, a, b);
  return gp_apply(Op::Div, a, subtree(b, b.size() - 2));
}

GpModel seen_plainly(const GpModel& model, const GpView& view) {
  GpModel plain = model;
  for (GpTree& term : plain.terms) term = substituted(term, view.inputs);
  if (!view.factor.empty()) {
    if (plain.terms.empty()) {
      plain.terms = {view.factor};
    } else if (plain.coefficients[0] != 0) {
      plain.terms = {gp_product(scaled_sum(plain), view.factor)};
    }
    plain.has_intercept = false;
  }
  for (GpTree& term : plain.terms) term = folded(term);
  plain.coefficients.assign(plain.terms.size(), 0);
  return plain;
}

bool ViewedProblem::is_finite() const {
  return are_finite(problem.target) && are_finite(factor) &&
         std::all_of(problem.inputs.begin(), problem.inputs.end(), are_finite);
}

ViewedProblem viewed(const RegressionProblem& problem, const GpView& view) {
  ViewedProblem result{.view = view, .problem = {}, .factor = {}};
  result.problem.target_name = problem.target_name;
  result.problem.target = problem.target;
  result.problem.weights = problem.weights;
  for (std::size_t i = 0; i < view.inputs.size(); ++i) {
    std::string name = "u";
    name += std::to_string(i);
    result.problem.input_names.push_back(std::move(name));
    result.problem.inputs.push_back(tree_values(view.inputs[i], problem));
  }
  if (view.factor.empty()) return result;
  result.factor = tree_values(view.factor, problem);
  for (std::size_t row = 0; row < result.factor.size(); ++row) {
    result.problem.target[row] /= result.factor[row];
  }
  return result;
}

std::vector<double> tree_values(const GpTree& tree,
                                const RegressionProblem& problem) {
  formula::ExpressionBuilder builder;
  const formula::NodeIndex root = append_tree(tree, builder, nullptr);
  const formula::Expression body = builder.finish(root);
  formula::ExpressionPlan plan(body);
  std::vector<double> values(problem.rows());
  const std::vector<const double*> pointers = problem.input_pointers();
  plan.values({.inputs = pointers, .rows = problem.rows()}, {}, values);
  return values;
}

}  // namespace lamarck::gp
