#include "lamarck/formula/expression_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/block_machine.h"
#include "lamarck/formula/uniform_nodes.h"

namespace lamarck::formula {

struct ExpressionPlan::State {
  explicit State(Expression of)
      : expression(std::move(of)),
        uniform(expression),
        is_uniform(uniform.contains(root())) {
    // The element after the nodes stays 1; see BlockProgram::one.
    numbers.resize(expression.nodes().size() + 1, 1.0);
    if (is_uniform) return;
    values.emplace(value_program(expression, uniform), expression.input_count(),
                   expression.param_count());
  }

  NodeIndex root() const {
    return static_cast<NodeIndex>(expression.nodes().size() - 1);
  }

  // Compiled on first use, because most plans never compute derivatives.
  BlockMachine& jacobian_machine() {
    if (!jacobian) {
      jacobian.emplace(jacobian_program(expression, uniform),
                       expression.input_count(), expression.param_count());
      numbers.resize(jacobian->program().numbers);
    }
    return *jacobian;
  }

  void compute_number_slopes() {
    const BlockProgram& program = jacobian_machine().program();
    if (program.number_slopes.empty()) return;
    uniform.differentiate(numbers, slopes);
    for (const BlockProgram::NumberSlope& slope : program.number_slopes) {
      numbers[slope.number] =
          slopes[slope.node * expression.param_count() + slope.param];
    }
  }

  const Expression expression;
  const UniformNodes uniform;
  const bool is_uniform;  // The root depends on no input.
  std::optional<BlockMachine> values;
  std::optional<BlockMachine> jacobian;
  std::vector<double> numbers;
  std::vector<double> slopes;  // Derivatives of the uniform nodes.
};

namespace {

void require_match(const Expression& expression, const Columns& columns,
                   std::span<const double> params, std::size_t values) {
  REQUIRE(columns.inputs.size() >= expression.input_count(),
          "ExpressionPlan: there must be a column for each of the {} inputs, "
          "got {}.",
          expression.input_count(), columns.inputs.size());
  REQUIRE(params.size() >= expression.param_count(),
          "ExpressionPlan: there must be a number for each of the {} params, "
          "got {}.",
          expression.param_count(), params.size());
  REQUIRE(values == columns.rows,
          "ExpressionPlan: values must have one element for each of the {} "
          "rows, got {}.",
          columns.rows, values);
}

}  // namespace

ExpressionPlan::ExpressionPlan(Expression expression)
    : state_(std::make_unique<State>(std::move(expression))) {}
ExpressionPlan::~ExpressionPlan() = default;
ExpressionPlan::ExpressionPlan(ExpressionPlan&&) noexcept = default;
ExpressionPlan& ExpressionPlan::operator=(ExpressionPlan&&) noexcept = default;

const Expression& ExpressionPlan::expression() const {
  return state_->expression;
}

void ExpressionPlan::values(const Columns& columns,
                            std::span<const double> params,
                            std::span<double> values) {
  State& state = *state_;
  require_match(state.expression, columns, params, values.size());
  state.uniform.evaluate(params, state.numbers);
  if (state.is_uniform) {
    std::fill(values.begin(), values.end(), state.numbers[state.root()]);
  } else {
    state.values->run(columns, state.numbers, values, {});
  }
}

void ExpressionPlan::values_and_jacobian(const Columns& columns,
                                         std::span<const double> params,
                                         std::span<double> values,
                                         std::span<double> jacobian) {
  State& state = *state_;
  const std::size_t param_count = state.expression.param_count();
  require_match(state.expression, columns, params, values.size());
  REQUIRE(jacobian.size() >= param_count * columns.rows,
          "ExpressionPlan::values_and_jacobian: jacobian must have at least {} "
          "elements, got {}.",
          param_count * columns.rows, jacobian.size());
  if (!state.is_uniform) {
    BlockMachine& machine = state.jacobian_machine();
    // After jacobian_machine(), which may resize the numbers.
    state.uniform.evaluate(params, state.numbers);
    state.compute_number_slopes();
    return machine.run(columns, state.numbers, values, jacobian);
  }
  state.uniform.evaluate(params, state.numbers);
  state.uniform.differentiate(state.numbers, state.slopes);
  std::fill(values.begin(), values.end(), state.numbers[state.root()]);
  for (std::size_t p = 0; p < param_count; ++p) {
    std::fill_n(jacobian.data() + p * columns.rows, columns.rows,
                state.slopes[state.root() * param_count + p]);
  }
}

double evaluate_row(const Expression& expression,
                    std::span<const double> inputs,
                    std::span<const double> params) {
  std::vector<double> values;
  values.reserve(expression.nodes().size());
  for (const Node& node : expression.nodes()) {
    if (node.op == Op::Constant) {
      values.push_back(node.value);
    } else if (node.op == Op::Input) {
      values.push_back(inputs[node.index]);
    } else if (node.op == Op::Param) {
      values.push_back(params[node.index]);
    } else {
      const auto& x = node.arguments;
      values.push_back(
          apply(node.op, values[x[0]], values[x[1]], values[x[2]]));
    }
  }
  return values.back();
}

}  // namespace lamarck::formula
