#include "lamarck/formula/rewriting/term_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>

namespace lamarck::formula {
namespace {

constexpr int kConstantRank = 0;
constexpr int kInputRank = 1;
constexpr int kGroupRank = 2;
constexpr int kFunctionRank = 3;
constexpr std::uint32_t kNoInput = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TermWriter::TermWriter(const TermArena& arena, TermWriterOptions options)
    : arena_(arena), options_(options) {}

NodeIndex TermWriter::counted(NodeIndex node, std::size_t size) {
  if (node >= sizes_.size()) sizes_.resize(node + std::size_t{1}, size);
  return node;
}

NodeIndex TermWriter::apply(Op op, NodeIndex a) {
  return counted(builder_.apply(op, a), 1 + sizes_[a]);
}

NodeIndex TermWriter::apply(Op op, NodeIndex a, NodeIndex b) {
  return counted(builder_.apply(op, a, b), 1 + sizes_[a] + sizes_[b]);
}

NodeIndex TermWriter::constant(double value) {
  return counted(builder_.constant(value), 1);
}

TermWriter::Item TermWriter::constant_item(double value) {
  return {
      .node = constant(value), .rank = kConstantRank, .first_input = kNoInput};
}

bool TermWriter::comes_before(const Item& a, const Item& b) const {
  return std::tuple(a.rank, a.first_input, sizes_[a.node], a.node) <
         std::tuple(b.rank, b.first_input, sizes_[b.node], b.node);
}

TermWriter::Item TermWriter::product_of(std::vector<Item> items) {
  const auto others = std::stable_partition(
      items.begin(), items.end(),
      [](const Item& item) { return item.rank == kConstantRank; });
  std::sort(others, items.end(),
            [&](const Item& a, const Item& b) { return comes_before(a, b); });
  Item result = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) {
    result.node = apply(Op::Mul, result.node, items[i].node);
    result.first_input = std::min(result.first_input, items[i].first_input);
  }
  if (items.size() > 1) {
    result.rank = result.first_input == kNoInput ? kConstantRank : kGroupRank;
  }
  return result;
}

TermWriter::Item TermWriter::quotient(Fraction fraction) {
  if (fraction.below.empty()) {
    if (fraction.above.empty()) return constant_item(1);
    return product_of(std::move(fraction.above));
  }
  Item below = product_of(std::move(fraction.below));
  Item result = below;
  if (fraction.above.empty()) {
    result.node = apply(Op::Reciprocal, below.node);
  } else {
    result = product_of(std::move(fraction.above));
    result.node = apply(Op::Div, result.node, below.node);
    result.first_input = std::min(result.first_input, below.first_input);
  }
  result.rank = result.first_input == kNoInput ? kConstantRank : kGroupRank;
  return result;
}

TermWriter::Item TermWriter::power_of(const Item& base, double exponent) {
  Item result = base;
  if (base.rank != kInputRank && base.rank != kConstantRank) {
    result.rank = kGroupRank;
  }
  if (exponent == 1) return base;
  if (exponent == 2) {
    result.node = apply(Op::Square, base.node);
  } else if (exponent == 3) {
    result.node = apply(Op::Cube, base.node);
  } else if (exponent == 0.5) {
    result.node = apply(Op::Sqrt, base.node);
    if (base.rank != kConstantRank) result.rank = kGroupRank;
  } else if (exponent == 1.0 / 3) {
    result.node = apply(Op::Cbrt, base.node);
  } else if (exponent == 2.0 / 3) {
    result.node = apply(Op::Square, apply(Op::Cbrt, base.node));
  } else {
    if (!is_simple_number(exponent)) fitted_.insert(exponent);
    NodeIndex written = constant(exponent);
    const bool is_third = 3 * exponent == std::round(3 * exponent) &&
                          exponent != std::round(exponent);
    if (options_.recognition > 0 && is_third) {
      written = apply(Op::Div, constant(std::round(3 * exponent)), constant(3));
    }
    result.node = apply(Op::Pow, base.node, written);
  }
  return result;
}

void TermWriter::add_known(const KnownConstant& known, Fraction& fraction,
                           Fraction& roots) {
  std::int64_t divisor = known.divisor;
  const bool is_root_below = known.root != 1 && divisor % known.root == 0;
  if (is_root_below) divisor /= known.root;
  if (known.coefficient != 1) {
    fraction.above.push_back(constant_item(known.coefficient));
  }
  if (divisor != 1) {
    fraction.below.push_back(constant_item(static_cast<double>(divisor)));
  }
  if (known.root != 1) {
    (is_root_below ? roots.below : roots.above)
        .push_back(constant_item(static_cast<double>(known.root)));
  }
  const double whole = std::trunc(known.pi_power);
  if (whole != known.pi_power) {
    (known.pi_power < 0 ? roots.below : roots.above)
        .push_back(constant_item(std::numbers::pi));
  }
  if (whole != 0) {
    (whole < 0 ? fraction.below : fraction.above)
        .push_back(power_of(constant_item(std::numbers::pi), std::fabs(whole)));
  }
}

void TermWriter::add_number(double value, Fraction& fraction, Fraction& roots) {
  if (value == 1) return;
  if (options_.recognition > 0) {
    if (const auto known = recognize_constant(value, options_.recognition)) {
      add_known(*known, fraction, roots);
      if (!known->is_plain() || known->value() != value) {
        constants_.push_back({value, known->value(), known->text()});
      }
      return;
    }
  }
  if (!is_simple_number(value)) fitted_.insert(value);
  const double inverse = std::round(1 / value);
  const bool is_whole_inverse =
      value < 1 && 1 / inverse == value && std::fmod(inverse, 5) != 0;
  if (is_whole_inverse) {
    fraction.below.push_back(constant_item(inverse));
  } else {
    fraction.above.push_back(constant_item(value));
  }
}

void TermWriter::add_powers(const std::vector<Part>& parts, bool flips_sum,
                            Fraction& fraction, Fraction& roots) {
  std::map<double, Fraction> classes;
  for (const auto& [id, exponent] : parts) {
    const Term& term = arena_.term(id);
    const bool flips =
        flips_sum && term.kind == TermKind::Sum && std::fabs(exponent) == 1;
    const Item item = flips ? write_sum(term, -1) : write(id);
    if (flips) flips_sum = false;
    Fraction& same = classes[std::fabs(exponent)];
    (exponent > 0 ? same.above : same.below).push_back(item);
  }
  for (auto& [exponent, same] : classes) {
    if (exponent == 1) {
      std::ranges::copy(same.above, std::back_inserter(fraction.above));
      std::ranges::copy(same.below, std::back_inserter(fraction.below));
      continue;
    }
    if (exponent == 0.5) {
      std::ranges::copy(same.above, std::back_inserter(roots.above));
      std::ranges::copy(same.below, std::back_inserter(roots.below));
      continue;
    }
    if (same.above.empty()) {
      fraction.below.push_back(
          power_of(product_of(std::move(same.below)), exponent));
    } else {
      fraction.above.push_back(power_of(quotient(std::move(same)), exponent));
    }
  }
  if (!roots.above.empty()) {
    fraction.above.push_back(power_of(quotient(std::move(roots)), 0.5));
  } else if (!roots.below.empty()) {
    fraction.below.push_back(power_of(product_of(std::move(roots.below)), 0.5));
  }
}

TermWriter::Item TermWriter::write_product(double coefficient,
                                           const std::vector<Part>& parts) {
  const bool flips =
      coefficient < 0 && std::ranges::any_of(parts, [&](const Part& part) {
        return arena_.term(part.first).kind == TermKind::Sum &&
               std::fabs(part.second) == 1;
      });
  Fraction fraction;
  Fraction roots;
  add_number(std::fabs(coefficient), fraction, roots);
  add_powers(parts, flips, fraction, roots);
  Item result = quotient(std::move(fraction));
  result.is_negative = coefficient < 0 && !flips;
  return result;
}

TermWriter::Item TermWriter::write_term(TermId id, double weight) {
  const Term& term = arena_.term(id);
  if (term.kind == TermKind::Product) {
    return write_product(weight * term.number, term.parts);
  }
  if (std::fabs(weight) != 1) return write_product(weight, {{id, 1}});
  Item item = write(id);
  if (weight < 0) item.is_negative = !item.is_negative;
  return item;
}

TermWriter::Item TermWriter::write_sum(const Term& term, double sign) {
  // Terms with the same weight share it: 2*a + 2*b is 2*(a + b).
  std::map<double, std::vector<Part>> same_weight;
  for (const auto& [id, weight] : term.parts) {
    same_weight[std::fabs(weight)].emplace_back(id, weight * sign);
  }
  std::vector<Item> items;
  for (auto& [weight, parts] : same_weight) {
    if (weight == 1 || parts.size() == 1) {
      for (const auto& [id, each] : parts)
        items.push_back(write_term(id, each));
      continue;
    }
    Term inner = make_term(TermKind::Sum, 0, {});
    for (const auto& [id, each] : parts) {
      inner.parts.emplace_back(id, each / weight);
    }
    const bool is_negative = std::ranges::all_of(
        parts, [](const Part& part) { return part.second < 0; });
    Fraction fraction;
    Fraction roots;
    add_number(weight, fraction, roots);
    add_powers({}, false, fraction, roots);
    fraction.above.push_back(write_sum(inner, is_negative ? -1 : 1));
    Item item = quotient(std::move(fraction));
    item.is_negative = is_negative;
    items.push_back(item);
  }
  std::ranges::stable_sort(items, [&](const Item& a, const Item& b) {
    return std::tuple(sizes_[a.node], a.first_input, a.node) <
           std::tuple(sizes_[b.node], b.first_input, b.node);
  });
  const double number = sign * term.number;
  const bool has_positive = std::ranges::any_of(
      items, [](const Item& item) { return !item.is_negative; });
  if (number != 0) {
    Fraction fraction;
    Fraction roots;
    add_number(std::fabs(number), fraction, roots);
    add_powers({}, false, fraction, roots);
    Item item = quotient(std::move(fraction));
    item.is_negative = number < 0;
    items.insert(has_positive ? items.end() : items.begin(), item);
  }
  const auto first = std::ranges::find_if(
      items, [](const Item& item) { return !item.is_negative; });
  if (first != items.end()) std::rotate(items.begin(), first, first + 1);
  Item result = items[0];
  result.rank = kGroupRank;
  if (result.is_negative) result.node = apply(Op::Neg, result.node);
  result.is_negative = false;
  for (std::size_t i = 1; i < items.size(); ++i) {
    result.node = apply(items[i].is_negative ? Op::Sub : Op::Add, result.node,
                        items[i].node);
    result.first_input = std::min(result.first_input, items[i].first_input);
  }
  return result;
}

TermWriter::Item TermWriter::write(TermId id) {
  if (const auto at = known_.find(id); at != known_.end()) return at->second;
  const Term& term = arena_.term(id);
  Item item;
  switch (term.kind) {
    case TermKind::Number:
      item = write_product(term.number, {});
      break;
    case TermKind::Input:
      item = {.node = counted(builder_.input(term.input), 1),
              .rank = kInputRank,
              .first_input = term.input};
      break;
    case TermKind::Sum:
      item = write_sum(term, 1);
      break;
    case TermKind::Product:
      item = write_product(term.number, term.parts);
      break;
    case TermKind::Function: {
      std::vector<NodeIndex> nodes;
      item = {.rank = kFunctionRank, .first_input = kNoInput};
      for (const TermId argument : term.arguments) {
        const Item written = write(argument);
        nodes.push_back(written.node);
        item.first_input = std::min(item.first_input, written.first_input);
      }
      if (nodes.size() == 1) {
        item.node = apply(term.op, nodes[0]);
      } else if (nodes.size() == 2) {
        item.node = apply(term.op, nodes[0], nodes[1]);
      } else {
        item.node =
            counted(builder_.apply(term.op, nodes[0], nodes[1], nodes[2]),
                    1 + sizes_[nodes[0]] + sizes_[nodes[1]] + sizes_[nodes[2]]);
      }
      break;
    }
  }
  if (item.is_negative) {
    // A negative number takes no node for its sign.
    const Node& node = builder_.node(item.node);
    const Node& left = builder_.node(node.arguments[0]);
    if (node.op == Op::Constant) {
      item.node = constant(-node.value);
    } else if (node.op == Op::Mul && left.op == Op::Constant) {
      const NodeIndex right = node.arguments[1];
      item.node = apply(Op::Mul, constant(-left.value), right);
    } else {
      item.node = apply(Op::Neg, item.node);
    }
    item.is_negative = false;
  }
  known_.emplace(id, item);
  return item;
}

Expression TermWriter::expression(TermId id) {
  return builder_.finish(write(id).node);
}

std::size_t TermWriter::size(TermId id) { return sizes_[write(id).node]; }

}  // namespace lamarck::formula
