#include "lamarck/formula/rewriting/term_arena.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "lamarck/formula/rewriting/simple_number.h"

namespace lamarck::formula {
namespace {

// The least relative difference of values that matters.
constexpr double kAgreement = 1e-10;

double fast_power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == -1) return 1 / base;
  if (exponent == 0.5) return std::sqrt(base);
  return std::pow(base, exponent);
}

// Evenly spaced rows, and those with the extremes of each input.
std::vector<std::size_t> pick_term_rows(const Columns& columns,
                                        std::size_t max) {
  std::vector<std::size_t> rows;
  if (columns.rows <= max) {
    rows.resize(columns.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  for (std::size_t i = 0; i < max; ++i) rows.push_back(i * columns.rows / max);
  for (const double* column : columns.inputs) {
    const auto [low, high] = std::minmax_element(column, column + columns.rows);
    rows.push_back(static_cast<std::size_t>(low - column));
    rows.push_back(static_cast<std::size_t>(high - column));
  }
  return rows;
}

}  // namespace

TermArena::TermArena(const Columns& columns, const TermArenaOptions& options)
    : options_(options) {
  const auto rows = pick_term_rows(columns, options.max_rows);
  rows_ = rows.size();
  for (const double* column : columns.inputs) {
    std::vector<double>& some = inputs_.emplace_back();
    some.reserve(rows_);
    for (const std::size_t row : rows) some.push_back(column[row]);
  }
}

double TermArena::unified(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double simple = simple_number(value, options_.tolerance);
  if (is_simple_number(simple)) return simple;
  const double width = options_.tolerance * std::fabs(value);
  const auto near = numbers_.lower_bound(value - width);
  if (near != numbers_.end() && *near <= value + width) return *near;
  numbers_.insert(value);
  return value;
}

void TermArena::evaluate(Entry& entry) const {
  const Term& term = entry.term;
  entry.values.assign(rows_, term.number);
  switch (term.kind) {
    case TermKind::Number:
      break;
    case TermKind::Input:
      entry.values = inputs_[term.input];
      break;
    case TermKind::Sum:
      for (const auto& [id, weight] : term.parts) {
        const std::vector<double>& part = entries_[id].values;
        for (std::size_t i = 0; i < rows_; ++i) {
          entry.values[i] += weight * part[i];
        }
      }
      break;
    case TermKind::Product:
      for (const auto& [id, exponent] : term.parts) {
        const std::vector<double>& part = entries_[id].values;
        for (std::size_t i = 0; i < rows_; ++i) {
          entry.values[i] *= fast_power(part[i], exponent);
        }
      }
      break;
    case TermKind::Function:
      for (std::size_t i = 0; i < rows_; ++i) {
        std::array<double, 3> arguments{};
        for (std::size_t k = 0; k < term.arguments.size(); ++k) {
          arguments[k] = entries_[term.arguments[k]].values[i];
        }
        entry.values[i] =
            formula::apply(term.op, arguments[0], arguments[1], arguments[2]);
      }
      break;
  }
  entry.min = std::numeric_limits<double>::infinity();
  entry.max = -entry.min;
  for (const double value : entry.values) {
    if (!std::isfinite(value)) {
      entry.is_finite = false;
      entry.min = -std::numeric_limits<double>::infinity();
      entry.max = -entry.min;
      return;
    }
    entry.min = std::min(entry.min, value);
    entry.max = std::max(entry.max, value);
  }
}

TermId TermArena::store(Term term) {
  Key key{term.kind,   term.op,    term.input,
          term.number, term.parts, term.arguments};
  const auto id = static_cast<TermId>(entries_.size());
  const auto [place, is_new] = known_.try_emplace(std::move(key), id);
  if (!is_new) return place->second;
  Entry entry;
  entry.term = std::move(term);
  evaluate(entry);
  entries_.push_back(std::move(entry));
  return id;
}

TermId TermArena::number(double value) {
  return store(make_term(TermKind::Number, unified(value), {}));
}

TermId TermArena::input(std::uint32_t index) {
  Term term;
  term.kind = TermKind::Input;
  term.op = Op::Input;
  term.input = index;
  return store(std::move(term));
}

bool TermArena::agree(TermId a, TermId b) const {
  const double tolerance = std::max(kAgreement, 10 * options_.tolerance);
  const Entry& first = entries_[a];
  const Entry& second = entries_[b];
  if (!first.is_finite || !second.is_finite) return false;
  const double scale =
      std::max(std::fabs(first.min), std::fabs(first.max)) * 0.01;
  for (std::size_t i = 0; i < rows_; ++i) {
    const double gap = std::fabs(first.values[i] - second.values[i]);
    if (gap > tolerance * (std::fabs(first.values[i]) + scale)) return false;
  }
  return true;
}

TermId TermArena::add(TermId a, TermId b, double weight) {
  const std::array<Part, 2> parts = {Part{a, 1}, Part{b, weight}};
  return sum(0, parts);
}

TermId TermArena::multiply(TermId a, TermId b, double exponent) {
  const std::array<Part, 2> factors = {Part{a, 1}, Part{b, exponent}};
  return product(1, factors);
}

TermId TermArena::scale(TermId a, double coefficient) {
  const Part factor{a, 1};
  return product(coefficient, std::span(&factor, 1));
}

TermId TermArena::apply(Op op, std::span<const TermId> a) {
  switch (op) {
    case Op::Add:
      return add(a[0], a[1]);
    case Op::Sub:
      return add(a[0], a[1], -1);
    case Op::Mul:
      return multiply(a[0], a[1]);
    case Op::Div:
      return multiply(a[0], a[1], -1);
    case Op::Neg:
      return scale(a[0], -1);
    case Op::Square:
      return power(a[0], 2);
    case Op::Cube:
      return power(a[0], 3);
    case Op::Reciprocal:
      return power(a[0], -1);
    case Op::Sqrt:
      return power(a[0], 0.5);
    case Op::Cbrt:
      if (is_positive(a[0])) return power(a[0], 1.0 / 3);
      return function(op, a);
    case Op::Pow:
      if (entries_[a[1]].term.kind == TermKind::Number) {
        return power(a[0], entries_[a[1]].term.number);
      }
      return function(op, a);
    case Op::Expm1:
      return add(function(Op::Exp, a), number(1), -1);
    case Op::Log1p: {
      const TermId sum = add(a[0], number(1));
      return function(Op::Log, std::span(&sum, 1));
    }
    case Op::Hypot:
      return power(add(power(a[0], 2), power(a[1], 2)), 0.5);
    default:
      return function(op, a);
  }
}

TermId TermArena::read(const Expression& expression) {
  std::vector<TermId> ids;
  for (const Node& node : expression.nodes()) {
    if (node.op == Op::Constant) {
      ids.push_back(number(node.value));
    } else if (node.op == Op::Input) {
      ids.push_back(input(node.index));
    } else {
      std::vector<TermId> arguments;
      for (std::size_t i = 0; i < arity_of(node); ++i) {
        arguments.push_back(ids[node.arguments[i]]);
      }
      ids.push_back(apply(node.op, arguments));
    }
  }
  return ids.back();
}

TermId TermArena::replaced_in(TermId id, std::map<TermId, TermId>& known) {
  if (const auto at = known.find(id); at != known.end()) return at->second;
  const Term term = entries_[id].term;
  TermId result = id;
  bool changes = false;
  std::vector<Part> parts;
  for (const auto& [part, weight] : term.parts) {
    const TermId next = replaced_in(part, known);
    changes = changes || next != part;
    parts.emplace_back(next, weight);
  }
  std::vector<TermId> arguments;
  for (const TermId argument : term.arguments) {
    arguments.push_back(replaced_in(argument, known));
    changes = changes || arguments.back() != argument;
  }
  if (changes && term.kind == TermKind::Sum) result = sum(term.number, parts);
  if (changes && term.kind == TermKind::Product) {
    result = product(term.number, parts);
  }
  if (changes && term.kind == TermKind::Function) {
    result = apply(term.op, arguments);
  }
  known.emplace(id, result);
  return result;
}

TermId TermArena::replaced(TermId root, TermId from, TermId to) {
  std::map<TermId, TermId> known = {{from, to}};
  return replaced_in(root, known);
}

}  // namespace lamarck::formula
