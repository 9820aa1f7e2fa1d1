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

bool is_whole_exponent(double value) { return value == std::round(value); }
bool is_even_exponent(double value) { return std::fmod(value, 2) == 0; }

bool is_odd_term(Op op) {
  return op == Op::Sin || op == Op::Tan || op == Op::Arcsin ||
         op == Op::Arctan || op == Op::Sinh || op == Op::Tanh || op == Op::Cbrt;
}

bool is_even_term(Op op) {
  return op == Op::Cos || op == Op::Cosh || op == Op::Abs;
}

double fast_power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == -1) return 1 / base;
  if (exponent == 0.5) return std::sqrt(base);
  return std::pow(base, exponent);
}

Term function_term(Op op, std::vector<TermId> arguments) {
  Term term;
  term.kind = TermKind::Function;
  term.op = op;
  term.arguments = std::move(arguments);
  return term;
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

// Whether most of the weights are negative.
bool is_mostly_negative(const Term& sum) {
  std::size_t negative = sum.number < 0 ? 1 : 0;
  std::size_t all = sum.number != 0 ? 1 : 0;
  for (const auto& [id, weight] : sum.parts) {
    negative += weight < 0 ? 1 : 0;
    ++all;
  }
  if (2 * negative != all) return 2 * negative > all;
  return sum.parts.front().second < 0;
}

// What the numbers of a sum cost once all are divided by `divisor`.
double cost_of_weights(const Term& sum, double divisor) {
  double cost = 0;
  for (const auto& [id, weight] : sum.parts) {
    const double rest = std::fabs(weight) / divisor;
    if (std::fabs(rest - 1) > 1e-12) cost += is_simple_number(rest) ? 2 : 2.1;
  }
  if (sum.number != 0 && !is_simple_number(sum.number / divisor)) cost += 0.1;
  return cost;
}

// The divisor that leaves the simplest weights.
double best_divisor(const Term& sum) {
  double best = 1;
  double lowest = cost_of_weights(sum, 1);
  const auto consider = [&](double divisor) {
    const double cost = cost_of_weights(sum, divisor);
    if (cost >= lowest - 0.05) return;
    lowest = cost;
    best = divisor;
  };
  for (const auto& [id, weight] : sum.parts) consider(std::fabs(weight));
  if (sum.number != 0) consider(std::fabs(sum.number));
  return best;
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

TermId TermArena::sum(double constant, std::span<const Part> parts) {
  struct Weight {
    double sum = 0;
    double largest = 0;
    void add(double value) {
      sum += value;
      largest = std::max(largest, std::fabs(value));
    }
  };
  Weight number;
  number.add(constant);
  std::map<TermId, Weight> weights;
  std::vector<Part> open(parts.rbegin(), parts.rend());
  while (!open.empty()) {
    const auto [id, weight] = open.back();
    open.pop_back();
    const Term term = entries_[id].term;
    if (term.kind == TermKind::Number) {
      number.add(weight * term.number);
    } else if (term.kind == TermKind::Sum) {
      number.add(weight * term.number);
      for (const auto& [part, inner] : term.parts) {
        open.emplace_back(part, weight * inner);
      }
    } else if (term.kind == TermKind::Product && term.number != 1) {
      const bool is_single =
          term.parts.size() == 1 && term.parts[0].second == 1;
      const TermId monic =
          is_single ? term.parts[0].first
                    : store(make_term(TermKind::Product, 1, term.parts));
      open.emplace_back(monic, weight * term.number);
    } else {
      weights[id].add(weight);
    }
  }
  const auto rest = [&](const Weight& weight) {
    const bool cancels =
        std::fabs(weight.sum) <= 4 * options_.tolerance * weight.largest;
    return cancels ? 0.0 : unified(weight.sum);
  };
  Term result = make_term(TermKind::Sum, rest(number), {});
  for (const auto& [id, weight] : weights) {
    const double value = rest(weight);
    if (value != 0) result.parts.emplace_back(id, value);
  }
  if (result.parts.empty()) return this->number(result.number);
  if (result.parts.size() == 1 && result.number == 0) {
    const Part only = result.parts[0];
    if (only.second == 1) return only.first;
    const Part factor{only.first, 1};
    return product(only.second, std::span(&factor, 1));
  }
  const double divisor = best_divisor(result);
  const bool all_negative =
      result.number <= 0 &&
      std::all_of(result.parts.begin(), result.parts.end(),
                  [](const Part& part) { return part.second < 0; });
  // Taking a factor out adds a node and a number.
  const bool pays =
      cost_of_weights(result, 1) > cost_of_weights(result, divisor) + 2.15;
  if (!pays && !all_negative) return store(std::move(result));
  const double taken = (all_negative ? -1 : 1) * (pays ? divisor : 1);
  const TermId inner = scaled_sum(result, 1 / taken);
  return store(make_term(TermKind::Product, unified(taken), {{inner, 1}}));
}

TermId TermArena::scaled_sum(const Term& sum, double factor) {
  Term scaled = sum;
  scaled.number = unified(scaled.number * factor);
  for (auto& [id, weight] : scaled.parts) weight = unified(weight * factor);
  return store(std::move(scaled));
}

std::pair<TermId, double> TermArena::primitive(TermId sum) {
  const Term term = entries_[sum].term;
  double factor = best_divisor(term);
  const bool negates =
      is_negative(sum) || (!is_positive(sum) && is_mostly_negative(term));
  if (negates) factor = -factor;
  if (factor == 1) return {sum, 1};
  return {scaled_sum(term, 1 / factor), factor};
}

void TermArena::add_power_of_sum(TermId id, double exponent, Factors& factors) {
  auto [base, factor] = primitive(id);
  if (factor < 0 && !is_whole_exponent(exponent)) {
    base = scaled_sum(Term(entries_[base].term), -1);
    factor = -factor;
  }
  factors.coefficient *= std::pow(factor, exponent);
  factors.exponents[base] += exponent;
}

void TermArena::add_power_of_product(const Term& term, double exponent,
                                     Factors& factors) {
  if (is_whole_exponent(exponent)) {
    factors.coefficient *= std::pow(term.number, exponent);
    for (const auto& [id, inner] : term.parts) {
      add_factor(id, inner * exponent, factors);
    }
    return;
  }
  factors.coefficient *= std::pow(std::fabs(term.number), exponent);
  std::vector<Part> rest;
  for (const auto& [id, inner] : term.parts) {
    if (is_positive(id)) {
      add_factor(id, inner * exponent, factors);
    } else if (is_even_exponent(inner)) {
      const TermId base = is_negative(id)
                              ? scale(id, -1)
                              : function(Op::Abs, std::span(&id, 1));
      add_factor(base, inner * exponent, factors);
    } else {
      rest.emplace_back(id, inner);
    }
  }
  if (rest.empty() && term.number > 0) return;
  const TermId base = product(term.number < 0 ? -1 : 1, rest);
  if (entries_[base].term.kind == TermKind::Sum) {
    add_power_of_sum(base, exponent, factors);
  } else {
    factors.exponents[base] += exponent;
  }
}

void TermArena::add_factor(TermId id, double exponent, Factors& factors) {
  const Term term = entries_[id].term;
  switch (term.kind) {
    case TermKind::Number:
      if (term.number > 0 || is_whole_exponent(exponent)) {
        factors.coefficient *= std::pow(term.number, exponent);
        return;
      }
      break;
    case TermKind::Sum:
      add_power_of_sum(id, exponent, factors);
      return;
    case TermKind::Product:
      add_power_of_product(term, exponent, factors);
      return;
    case TermKind::Function:
      if (term.op == Op::Exp) {
        factors.exponentials.emplace_back(term.arguments[0], exponent);
        return;
      }
      if (term.op == Op::Abs && is_even_exponent(exponent)) {
        add_factor(term.arguments[0], exponent, factors);
        return;
      }
      break;
    case TermKind::Input:
      break;
  }
  factors.exponents[id] += exponent;
}

void TermArena::add_exponential(Factors& factors) {
  if (factors.exponentials.empty()) return;
  std::vector<Part> parts;
  for (const auto& [id, exponent] : factors.exponentials) {
    parts.emplace_back(id, exponent);
  }
  TermId argument = sum(0, parts);
  const Term term = entries_[argument].term;
  if (term.kind == TermKind::Sum && term.number != 0 &&
      std::fabs(factors.coefficient) != 1) {
    factors.coefficient *= std::exp(term.number);
    argument = sum(0, term.parts);
  }
  const TermId result = function(Op::Exp, std::span(&argument, 1));
  const Term made = entries_[result].term;
  if (made.kind == TermKind::Function) {
    factors.exponents[result] += 1;
  } else {
    factors.exponentials.clear();
    add_factor(result, 1, factors);
  }
}

TermId TermArena::product(double coefficient, std::span<const Part> factors) {
  Factors all{.coefficient = coefficient, .exponents = {}, .exponentials = {}};
  const std::vector<Part> given(factors.begin(), factors.end());
  for (const auto& [id, exponent] : given) add_factor(id, exponent, all);
  add_exponential(all);
  Term result = make_term(TermKind::Product, unified(all.coefficient), {});
  for (const auto& [id, exponent] : all.exponents) {
    const double simple = unified(exponent);
    if (std::fabs(simple) > 1e-12) result.parts.emplace_back(id, simple);
  }
  if (result.parts.empty() || result.number == 0) return number(result.number);
  if (result.parts.size() == 1 && result.parts[0].second == 1) {
    const TermId only = result.parts[0].first;
    if (result.number == 1) return only;
    const Term base = entries_[only].term;
    if (base.kind == TermKind::Sum) {
      std::vector<Part> parts = base.parts;
      for (auto& [id, weight] : parts) weight *= result.number;
      return sum(base.number * result.number, parts);
    }
  }
  return store(std::move(result));
}

TermId TermArena::power(TermId base, double exponent) {
  const Part factor{base, exponent};
  return product(1, std::span(&factor, 1));
}

TermId TermArena::function(Op op, std::span<const TermId> arguments) {
  std::vector<TermId> given(arguments.begin(), arguments.end());
  const TermId first = given[0];
  const Term term = entries_[first].term;
  if (std::all_of(given.begin(), given.end(), [&](TermId id) {
        return entries_[id].term.kind == TermKind::Number;
      })) {
    std::array<double, 3> values{};
    for (std::size_t i = 0; i < given.size(); ++i) {
      values[i] = entries_[given[i]].term.number;
    }
    const double value = formula::apply(op, values[0], values[1], values[2]);
    if (std::isfinite(value)) return number(value);
  }
  if (op == Op::Abs && is_positive(first)) return first;
  if (op == Op::Abs && is_negative(first)) return scale(first, -1);
  if (op == Op::Log && term.kind == TermKind::Function && term.op == Op::Exp) {
    return term.arguments[0];
  }
  if (op == Op::Exp) {
    const bool is_product = term.kind == TermKind::Product &&
                            term.parts.size() == 1 && term.parts[0].second == 1;
    const TermId inner = is_product ? term.parts[0].first : first;
    const Term log = entries_[inner].term;
    if (log.kind == TermKind::Function && log.op == Op::Log) {
      return power(log.arguments[0], is_product ? term.number : 1);
    }
  }
  if (is_odd_term(op) || is_even_term(op)) {
    const bool is_negated =
        (term.kind == TermKind::Product && term.number < 0) ||
        (term.kind == TermKind::Sum && is_mostly_negative(term));
    if (is_negated) {
      const TermId flipped = scale(first, -1);
      const TermId result = store(function_term(op, {flipped}));
      return is_even_term(op) ? result : scale(result, -1);
    }
  }
  return store(function_term(op, std::move(given)));
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
