// The normal form of sums, products, powers and functions.

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/formula/rewriting/simple_number.h"
#include "lamarck/formula/rewriting/term_arena.h"

namespace lamarck::formula {
namespace {

bool is_whole_exponent(double value) { return value == std::round(value); }
bool is_even_exponent(double value) { return std::fmod(value, 2) == 0; }

bool is_odd_term(Op op) {
  return op == Op::Sin || op == Op::Tan || op == Op::Arcsin ||
         op == Op::Arctan || op == Op::Sinh || op == Op::Tanh || op == Op::Cbrt;
}

bool is_even_term(Op op) {
  return op == Op::Cos || op == Op::Cosh || op == Op::Abs;
}

Term function_term(Op op, std::vector<TermId> arguments) {
  Term term;
  term.kind = TermKind::Function;
  term.op = op;
  term.arguments = std::move(arguments);
  return term;
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

}  // namespace lamarck::formula
