#include "lamarck/formula/block_program.h"

#include <array>
#include <span>

#include "lamarck/base/ensure.h"

namespace lamarck::formula {
namespace {

using Kind = Slot::Kind;

// The kernel that a node calls. Common constant exponents have faster kernels
// than Pow.
struct Call {
  Op op;
  std::size_t arity;
};

Call make_call(const Expression& expression, const Node& node) {
  const auto arity = static_cast<std::size_t>(operation(node.op).arity);
  if (node.op != Op::Pow) return {node.op, arity};
  const Node& exponent = expression.nodes()[node.arguments[1]];
  if (exponent.op != Op::Constant) return {node.op, arity};
  if (exponent.value == 2) return {Op::Square, 1};
  if (exponent.value == 3) return {Op::Cube, 1};
  if (exponent.value == -1) return {Op::Reciprocal, 1};
  if (exponent.value == 0.5) return {Op::Sqrt, 1};
  return {node.op, arity};
}

class Compiler {
 public:
  Compiler(const Expression& expression, const UniformNodes& uniform,
           bool reuses_slots)
      : expression_(expression),
        uniform_(uniform),
        reuses_slots_(reuses_slots),
        places_(expression.nodes().size()),
        uses_left_(expression.nodes().size()) {
    const std::size_t nodes = expression.nodes().size();
    REQUIRE(!uniform.contains(root()),
            "block_program: the expression must depend on an input.");
    program_.one = static_cast<std::uint32_t>(nodes);
    program_.numbers = nodes + 1;
  }

  BlockProgram with_values() {
    count_uses();
    for (NodeIndex i = 0; i < places_.size(); ++i) add_forward(i);
    if (expression_.root().op == Op::Input) copy_input();
    return program_;
  }

  BlockProgram with_jacobian() {
    with_values();
    adjoints_.resize(places_.size());
    jacobian_is_written_.resize(expression_.param_count());
    if (is_active(root())) adjoints_[root()] = filled_slot(program_.one);
    for (NodeIndex i = root() + 1; i-- > 0;) {
      if (adjoints_[i].is_somewhere()) add_backward(i);
    }
    for (std::uint32_t p = 0; p < jacobian_is_written_.size(); ++p) {
      if (!jacobian_is_written_[p]) program_.flat_params.push_back(p);
    }
    return program_;
  }

 private:
  const Node& node(NodeIndex i) const { return expression_.nodes()[i]; }
  NodeIndex root() const {
    return static_cast<NodeIndex>(expression_.nodes().size() - 1);
  }
  // Whether the node needs a kernel call per block.
  bool is_step(NodeIndex i) const {
    return !uniform_.contains(i) && node(i).op != Op::Input;
  }
  std::span<const NodeIndex> arguments(NodeIndex i) const {
    return std::span(node(i).arguments)
        .first(make_call(expression_, node(i)).arity);
  }
  // Whether the node's derivative with respect to some param may differ from 0.
  bool is_active(NodeIndex i) const {
    for (std::size_t p = 0; p < expression_.param_count(); ++p) {
      if (uniform_.depends_on(i, p)) return true;
    }
    return false;
  }

  Slot new_slot() {
    if (!free_slots_.empty()) {
      const std::uint32_t slot = free_slots_.back();
      free_slots_.pop_back();
      return {Kind::Slot, slot};
    }
    return {Kind::Slot, static_cast<std::uint32_t>(program_.slots++)};
  }
  void free_slot(Slot place) {
    if (place.kind == Kind::Slot) free_slots_.push_back(place.index);
  }
  // A slot that holds one number for the whole run. It is never freed and never
  // a reused one, because it is filled only once, before the first block.
  Slot filled_slot(std::uint32_t number) {
    for (const BlockProgram::FilledSlot& filled : program_.filled) {
      if (filled.number == number) return {Kind::Slot, filled.slot};
    }
    const auto slot = static_cast<std::uint32_t>(program_.slots++);
    program_.filled.push_back({slot, number});
    return {Kind::Slot, slot};
  }

  void count_uses() {
    for (NodeIndex i = 0; i < places_.size(); ++i) {
      if (!is_step(i)) continue;
      for (const NodeIndex argument : arguments(i)) ++uses_left_[argument];
    }
  }

  Slot find_slot(NodeIndex i) const {
    if (uniform_.contains(i)) return {Kind::Number, i};
    if (node(i).op == Op::Input) return {Kind::Input, node(i).index};
    return places_[i];
  }

  std::array<Slot, 3> operands_of(NodeIndex i) {
    std::array<Slot, 3> operands;
    const auto of = arguments(i);
    for (std::size_t k = 0; k < of.size(); ++k) {
      operands[k] = find_slot(of[k]);
      // Ternary kernels take blocks only.
      if (of.size() == 3 && operands[k].kind == Kind::Number) {
        operands[k] = filled_slot(of[k]);
      }
    }
    return operands;
  }

  Operands operand_kinds(NodeIndex i) const {
    const auto of = arguments(i);
    if (of.size() != 2) return Operands::Blocks;
    if (uniform_.contains(of[0])) return Operands::FirstIsNumber;
    if (uniform_.contains(of[1])) return Operands::SecondIsNumber;
    return Operands::Blocks;
  }

  void add_forward(NodeIndex i) {
    if (!is_step(i)) return;
    const auto operands = operands_of(i);
    // The output may take the slot of an argument used for the last time:
    // kernels work in place.
    for (const NodeIndex argument : arguments(i)) {
      if (--uses_left_[argument] == 0 && reuses_slots_) {
        free_slot(places_[argument]);
      }
    }
    places_[i] = i == root() ? Slot{Kind::Result} : new_slot();
    program_.forward.push_back(
        {forward_kernel(make_call(expression_, node(i)).op, operand_kinds(i)),
         operands[0], operands[1], operands[2], places_[i]});
  }

  // An expression that is a single input is copied, as a product with 1.
  void copy_input() {
    program_.forward.push_back(
        {forward_kernel(Op::Mul, Operands::SecondIsNumber),
         find_slot(root()),
         {Kind::Number, program_.one},
         {},
         {Kind::Result}});
  }

  void add_backward(NodeIndex i) {
    if (uniform_.contains(i)) return add_number_slopes(i);
    const auto operands = operands_of(i);
    const Op op = make_call(expression_, node(i)).op;
    std::array<BackwardStep::Target, 3> targets;
    for (std::size_t k = 0; k < arguments(i).size(); ++k) {
      if (passes_slope(op, k)) targets[k] = target_for(arguments(i)[k]);
    }
    program_.backward.push_back({backward_kernel(op, operand_kinds(i)),
                                 operands[0], operands[1], operands[2],
                                 places_[i], adjoints_[i], targets[0],
                                 targets[1], targets[2]});
    if (i != root()) free_slot(adjoints_[i]);
  }

  BackwardStep::Target target_for(NodeIndex i) {
    if (!is_active(i)) return {};
    if (node(i).op == Op::Param) return jacobian_target(node(i).index);
    const bool adds = adjoints_[i].is_somewhere();
    if (!adds) adjoints_[i] = new_slot();
    return {adjoints_[i], adds};
  }

  BackwardStep::Target jacobian_target(std::uint32_t param) {
    const bool adds = jacobian_is_written_[param];
    jacobian_is_written_[param] = true;
    return {{Kind::Jacobian, param}, adds};
  }

  // Passes the adjoint of a uniform node on to the params below it, times the
  // derivatives that are computed once per run.
  void add_number_slopes(NodeIndex i) {
    for (std::uint32_t p = 0; p < expression_.param_count(); ++p) {
      if (!uniform_.depends_on(i, p)) continue;
      const auto number = static_cast<std::uint32_t>(program_.numbers++);
      program_.number_slopes.push_back({i, p, number});
      program_.backward.push_back(
          {backward_kernel(Op::Mul, Operands::SecondIsNumber),
           adjoints_[i],
           {Kind::Number, number},
           {},
           adjoints_[i],
           adjoints_[i],
           jacobian_target(p),
           {},
           {}});
    }
    free_slot(adjoints_[i]);
  }

  const Expression& expression_;
  const UniformNodes& uniform_;
  const bool reuses_slots_;
  BlockProgram program_;
  std::vector<Slot> places_;    // Values of nodes that are steps.
  std::vector<Slot> adjoints_;  // Adjoints accumulated so far.
  std::vector<std::size_t> uses_left_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<bool> jacobian_is_written_;
};

}  // namespace

BlockProgram value_program(const Expression& expression,
                           const UniformNodes& uniform) {
  return Compiler(expression, uniform, true).with_values();
}

BlockProgram jacobian_program(const Expression& expression,
                              const UniformNodes& uniform) {
  return Compiler(expression, uniform, false).with_jacobian();
}

}  // namespace lamarck::formula
