// Tables whose law is known, and random trees, for tests.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/gp/gp_tree.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

struct ToyProblemOptions {
  std::size_t rows = 60;
  std::size_t inputs = 1;  // Called x0, x1 and so on.
  double low = 0.5;        // Range of every input.
  double high = 3;
  std::uint64_t seed = 1;
};

// `law` takes a row as a vector and returns y.
template <class Law>
RegressionProblem toy_problem(const ToyProblemOptions& options, Law law) {
  Rng rng(options.seed);
  RegressionProblem problem;
  problem.target_name = "y";
  problem.inputs.resize(options.inputs);
  for (std::size_t i = 0; i < options.inputs; ++i) {
    problem.input_names.push_back("x" + std::to_string(i));
  }
  for (std::size_t row = 0; row < options.rows; ++row) {
    std::vector<double> values;
    for (std::vector<double>& column : problem.inputs) {
      column.push_back(rng.uniform(options.low, options.high));
      values.push_back(column.back());
    }
    problem.target.push_back(law(values));
  }
  return problem;
}

// The value of the tree for one row of inputs, by the slow reference evaluator.
inline double toy_value(const GpTree& tree, const std::vector<double>& row) {
  formula::ExpressionBuilder builder;
  const formula::NodeIndex root = append_tree(tree, builder, nullptr);
  return formula::evaluate_row(builder.finish(root), row, {});
}

// A random tree of all operations that trees support.
inline GpTree toy_tree(Rng& rng, int depth, std::size_t inputs) {
  using formula::Op;
  constexpr std::array kUnary = {Op::Sin,  Op::Cos,        Op::Exp, Op::Log,
                                 Op::Sqrt, Op::Tanh,       Op::Abs, Op::Square,
                                 Op::Cube, Op::Reciprocal, Op::Neg};
  constexpr std::array kBinary = {Op::Add, Op::Sub,     Op::Mul,    Op::Div,
                                  Op::Pow, Op::Minimum, Op::Maximum};
  if (depth == 0 || rng.chance(0.1)) {
    if (rng.chance(0.6)) return gp_input(rng.below(inputs));
    return gp_constant(rng.chance(0.5) ? static_cast<double>(rng.integer(0, 2))
                                       : rng.uniform(-2, 2));
  }
  if (rng.chance(0.5)) {
    return gp_apply(kUnary[rng.below(kUnary.size())],
                    toy_tree(rng, depth - 1, inputs));
  }
  const GpTree a = toy_tree(rng, depth - 1, inputs);
  const GpTree b = rng.chance(0.15) ? a : toy_tree(rng, depth - 1, inputs);
  return gp_apply(kBinary[rng.below(kBinary.size())], a, b);
}

// Whether the length of every node matches its arguments, and there is one
// root.
inline bool is_valid_tree(const GpTree& tree) {
  std::vector<std::size_t> spans;
  for (const GpNode& node : tree) {
    const auto arity =
        static_cast<std::size_t>(formula::operation(node.op).arity);
    if (spans.size() < arity) return false;
    std::size_t span = 1;
    for (std::size_t i = 0; i < arity; ++i) {
      span += spans.back();
      spans.pop_back();
    }
    if (node.length != span) return false;
    spans.push_back(span);
  }
  return spans.size() == 1;
}

}  // namespace lamarck::gp
