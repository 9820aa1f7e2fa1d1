#include "lamarck/gp/tree_vocabulary.h"

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/portable_math.h"
#include "lamarck/base/string_split.h"

namespace lamarck::gp {
namespace {

using formula::Op;

constexpr double kHintChance = 0.5;
constexpr double kLeafChance = 0.35;
constexpr double kLogicChance = 0.15;

bool is_logic(Op op) { return op == Op::And || op == Op::Or || op == Op::Not; }

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  for (const formula::Operation& each : formula::operations()) {
    if (each.arity > 0) names.push_back(each.name);
  }
  return names;
}

Result<Op> known_operation(const std::string& name) {
  const auto op = formula::op_named(name);
  if (op && arity(*op) > 0) return *op;
  return Error(ErrorCode::InvalidArgument,
               fmt::format("Unknown operation '{}'; use one of {}.", name,
                           join_text(operation_names(), ", ")));
}

}  // namespace

double rounded_constant(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

Result<TreeVocabulary> TreeVocabulary::make(
    const std::vector<std::string>& names, TreeConstants constants) {
  REQUIRE(constants.low > 0 && constants.low <= constants.high &&
              std::isfinite(constants.high),
          "TreeVocabulary::make: constants must have 0 < low <= high, both "
          "finite, got {} and {}.",
          constants.low, constants.high);
  TreeVocabulary vocabulary;
  vocabulary.constants_ = std::move(constants);
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Op op, known_operation(name));
    if (op == Op::Where) {
      vocabulary.has_branches_ = true;
    } else if (is_logic(op)) {
      vocabulary.logic_.push_back(op);
    } else if (is_truth(op)) {
      vocabulary.comparisons_.push_back(op);
    } else {
      vocabulary.numbers_.push_back(op);
    }
  }
  if (vocabulary.numbers_.empty()) {
    return Error(
        ErrorCode::InvalidArgument,
        "The operations must include one that returns a number, such as "
        "add.");
  }
  if (vocabulary.has_branches_ && vocabulary.comparisons_.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "The operation 'where' needs a comparison; add one to the "
                 "operations, such as less.");
  }
  return vocabulary;
}

Op TreeVocabulary::similar(Op like, Rng& rng) const {
  const auto& all = is_logic(like)   ? logic_
                    : is_truth(like) ? comparisons_
                                     : numbers_;
  std::vector<Op> others;
  for (const Op op : all) {
    if (op != like && arity(op) == arity(like)) others.push_back(op);
  }
  return others.empty() ? like : rng.choice(others);
}

Op TreeVocabulary::number_op(Rng& rng) const {
  return numbers_[rng.below(numbers_.size())];
}

double TreeVocabulary::constant(Rng& rng) const {
  const auto& hints = constants_.hints;
  if (!hints.empty() && rng.chance(kHintChance)) {
    return hints[rng.below(hints.size())];
  }
  const double size = portable_exp(
      rng.uniform(portable_log(constants_.low), portable_log(constants_.high)));
  // Positive constants are more common in formulas.
  return rounded_constant(rng.chance(0.3) ? -size : size, 2);
}

TreeNode TreeVocabulary::constant_leaf(Rng& rng) const {
  return {.op = Op::Constant, .value = constant(rng)};
}

TreeNode TreeVocabulary::leaf(std::size_t inputs, Rng& rng) const {
  if (inputs == 0 || rng.chance(1.0 / 3)) return constant_leaf(rng);
  return {.op = Op::Input,
          .index = static_cast<std::uint32_t>(rng.below(inputs))};
}

Tree TreeVocabulary::number(std::size_t inputs, std::size_t depth,
                            Rng& rng) const {
  if (depth <= 1 || rng.chance(kLeafChance)) return {leaf(inputs, rng)};
  const bool branches =
      has_branches_ && depth > 2 && rng.below(numbers_.size() + 2) < 2;
  const Op op = branches ? Op::Where : number_op(rng);
  Tree tree = {{.op = op}};
  if (branches) append_part(tree, truth(inputs, depth - 1, rng));
  for (std::size_t i = branches ? 1 : 0; i < arity(op); ++i) {
    append_part(tree, number(inputs, depth - 1, rng));
  }
  return tree;
}

Tree TreeVocabulary::truth(std::size_t inputs, std::size_t depth,
                           Rng& rng) const {
  ENSURE(!comparisons_.empty(), "a vocabulary with branches has a comparison");
  const std::size_t below = depth > 1 ? depth - 1 : 1;
  if (depth > 2 && !logic_.empty() && rng.chance(kLogicChance)) {
    const Op op = logic_[rng.below(logic_.size())];
    Tree tree = {{.op = op}};
    for (std::size_t i = 0; i < arity(op); ++i) {
      append_part(tree, truth(inputs, below, rng));
    }
    return tree;
  }
  // Most comparisons test a threshold, so one side is usually a constant.
  Tree tree = {{.op = comparisons_[rng.below(comparisons_.size())]}};
  const Tree side = number(inputs, below, rng);
  const Tree other =
      rng.chance(0.7) ? Tree{constant_leaf(rng)} : number(inputs, below, rng);
  const bool is_turned = rng.chance(0.5);
  append_part(tree, is_turned ? other : side);
  append_part(tree, is_turned ? side : other);
  return tree;
}

}  // namespace lamarck::gp
