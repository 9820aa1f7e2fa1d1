// Identities of trigonometric, exponential, hyperbolic and logarithmic
// functions.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "lamarck/formula/rewriting/term_moves.h"

namespace lamarck::formula {
namespace {

constexpr double kQuarterTurn = std::numbers::pi / 2;

// The argument if the term is this function.
std::optional<TermId> argument_of(const TermArena& arena, TermId id, Op op) {
  const Term& term = arena.term(id);
  if (term.kind != TermKind::Function || term.op != op) return std::nullopt;
  return term.arguments[0];
}

bool is_equal_size(double a, double b) {
  return std::fabs(std::fabs(a) - std::fabs(b)) <= 1e-11 * std::fabs(a);
}

// A part of a sum with a factor that is a function: weight * rest * f(x)**e.
struct FunctionFactor {
  Op op = Op::Sin;
  TermId argument = 0;
  double exponent = 1;
  std::vector<Part> rest;
};

std::vector<FunctionFactor> functions_in(const TermArena& arena,
                                         const std::vector<Part>& factors) {
  std::vector<FunctionFactor> found;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Term& term = arena.term(factors[i].first);
    if (term.kind != TermKind::Function || term.arguments.size() != 1) continue;
    FunctionFactor factor{.op = term.op,
                          .argument = term.arguments[0],
                          .exponent = factors[i].second,
                          .rest = factors};
    factor.rest.erase(factor.rest.begin() + static_cast<std::ptrdiff_t>(i));
    found.push_back(std::move(factor));
  }
  return found;
}

}  // namespace

void TermMoves::add_squared_waves(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const auto [part, weight] = term.parts[i];
    for (const FunctionFactor& each : functions_in(arena_, factors_of(part))) {
      const TermId rest = arena_.product(weight, each.rest);
      const auto with = [&](TermId instead) {
        forms.push_back(sum_with(
            term, {i}, multiplied_out(arena_.multiply(rest, instead))));
      };
      const TermId one = arena_.number(1);
      if (each.exponent == 2 && each.op == Op::Sin) {
        with(
            arena_.add(one, arena_.power(call(Op::Cos, each.argument), 2), -1));
      } else if (each.exponent == 2 && each.op == Op::Cos) {
        with(
            arena_.add(one, arena_.power(call(Op::Sin, each.argument), 2), -1));
      } else if (each.exponent == 1 && each.op == Op::Cos) {
        const TermId half = arena_.scale(each.argument, 0.5);
        with(arena_.add(one, arena_.power(call(Op::Sin, half), 2), -2));
        with(arena_.add(arena_.scale(arena_.power(call(Op::Cos, half), 2), 2),
                        one, -1));
      } else if (each.exponent == 2 && each.op == Op::Tanh) {
        with(arena_.add(one, arena_.power(call(Op::Cosh, each.argument), -2),
                        -1));
      }
    }
  }
}

void TermMoves::add_angle_sums(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    for (std::size_t j = 0; j < term.parts.size(); ++j) {
      const double weight = term.parts[i].second;
      if (i == j || !is_equal_size(weight, term.parts[j].second)) continue;
      const double sign = weight * term.parts[j].second < 0 ? -1 : 1;
      for (const FunctionFactor& x :
           functions_in(arena_, factors_of(term.parts[i].first))) {
        if (x.exponent != 1) continue;
        for (const FunctionFactor& y : functions_in(arena_, x.rest)) {
          if (y.exponent != 1) continue;
          const bool is_sine = x.op == Op::Sin && y.op == Op::Cos;
          const bool is_cosine = x.op == Op::Cos && y.op == Op::Cos;
          if (!is_sine && !is_cosine) continue;
          const TermId other =
              arena_.multiply(call(is_sine ? Op::Cos : Op::Sin, x.argument),
                              call(Op::Sin, y.argument));
          const TermId expected =
              arena_.multiply(arena_.product(1, y.rest), other);
          if (expected != term.parts[j].first) continue;
          const TermId angle =
              arena_.add(x.argument, y.argument, is_sine ? sign : -sign);
          const TermId made =
              arena_.multiply(arena_.product(weight, y.rest),
                              call(is_sine ? Op::Sin : Op::Cos, angle));
          forms.push_back(sum_with(term, {i, j}, made));
        }
      }
    }
  }
}

void TermMoves::add_wave_products(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  for (const FunctionFactor& x : functions_in(arena_, term.parts)) {
    const TermId coefficient = arena_.number(term.number);
    for (const FunctionFactor& y : functions_in(arena_, x.rest)) {
      if (x.argument != y.argument) continue;
      const auto with = [&](TermId instead) {
        forms.push_back(arena_.multiply(
            coefficient, arena_.multiply(arena_.product(1, y.rest), instead)));
      };
      if (x.op == Op::Sin && y.op == Op::Cos) {
        if (x.exponent == y.exponent) {
          const TermId doubled = call(Op::Sin, arena_.scale(x.argument, 2));
          with(arena_.power(arena_.scale(doubled, 0.5), x.exponent));
        } else if (x.exponent == -y.exponent) {
          with(arena_.power(call(Op::Tan, x.argument), x.exponent));
        }
      }
      if (x.op == Op::Sinh && y.op == Op::Cosh && x.exponent == -y.exponent) {
        with(arena_.power(call(Op::Tanh, x.argument), x.exponent));
      }
    }
    if (x.op == Op::Sin && x.exponent == 2) {
      // sin(x)**2 = (1 - cos(2*x))/2
      const TermId wave = call(Op::Cos, arena_.scale(x.argument, 2));
      forms.push_back(arena_.multiply(arena_.product(term.number / 2, x.rest),
                                      arena_.add(arena_.number(1), wave, -1)));
    }
    if (x.op == Op::Tan) {
      forms.push_back(arena_.multiply(
          arena_.product(term.number, x.rest),
          arena_.power(arena_.multiply(call(Op::Sin, x.argument),
                                       call(Op::Cos, x.argument), -1),
                       x.exponent)));
    }
  }
}

void TermMoves::add_wave_functions(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.op != Op::Sin && term.op != Op::Cos) return;
  const TermId argument = term.arguments[0];
  const Term inner = arena_.term(argument);
  const bool is_sine = term.op == Op::Sin;
  if (inner.kind == TermKind::Sum && inner.number != 0) {
    // sin(x + pi/2) = cos(x)
    const double turns = std::round(inner.number / kQuarterTurn);
    const TermId rest = arena_.sum(0, inner.parts);
    const double left = inner.number - turns * kQuarterTurn;
    if (turns != 0 && std::fabs(left) < 1e-6) {
      const int quarter = static_cast<int>(std::fmod(turns, 4) + 4) % 4;
      const bool swaps = quarter % 2 == 1;
      const bool is_negated =
          quarter == 2 || (is_sine ? quarter == 3 : quarter == 1);
      const Op op = swaps == is_sine ? Op::Cos : Op::Sin;
      forms.push_back(arena_.scale(call(op, rest), is_negated ? -1 : 1));
    }
  }
  if (inner.kind == TermKind::Sum && inner.parts.size() == 2 &&
      inner.number == 0) {
    const TermId x = arena_.scale(inner.parts[0].first, inner.parts[0].second);
    const TermId y = arena_.scale(inner.parts[1].first, inner.parts[1].second);
    const TermId one = arena_.multiply(call(term.op, x), call(Op::Cos, y));
    const TermId two =
        arena_.multiply(call(is_sine ? Op::Cos : Op::Sin, x), call(Op::Sin, y));
    forms.push_back(arena_.add(one, two, is_sine ? 1 : -1));
  }
  const TermId half = arena_.scale(argument, 0.5);
  const TermId sine = call(Op::Sin, half);
  if (is_sine) {
    forms.push_back(
        arena_.scale(arena_.multiply(sine, call(Op::Cos, half)), 2));
  } else {
    forms.push_back(arena_.add(arena_.number(1), arena_.power(sine, 2), -2));
  }
}

void TermMoves::add_hyperbolic_sums(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const auto [part, weight] = term.parts[i];
    for (const FunctionFactor& x : functions_in(arena_, factors_of(part))) {
      if (x.op != Op::Exp || x.exponent != 1) continue;
      // exp(x) + k = exp(x)*(1 + k*exp(-x))
      const TermId power = call(Op::Exp, x.argument);
      std::vector<Part> parts;
      for (const auto& [each, number] : term.parts) {
        parts.emplace_back(arena_.multiply(each, power, -1), number);
      }
      parts.emplace_back(arena_.power(power, -1), term.number);
      forms.push_back(arena_.multiply(power, arena_.sum(0, parts)));
      for (std::size_t j = i + 1; j < term.parts.size(); ++j) {
        const auto [other, its_weight] = term.parts[j];
        if (!is_equal_size(weight, its_weight)) continue;
        // exp(a) +- exp(b) = 2*exp((a + b)/2)*cosh or sinh((a - b)/2)
        for (const FunctionFactor& y :
             functions_in(arena_, factors_of(other))) {
          if (y.op != Op::Exp || y.rest != x.rest) continue;
          const TermId middle = call(
              Op::Exp, arena_.scale(arena_.add(x.argument, y.argument), 0.5));
          const TermId half =
              arena_.scale(arena_.add(x.argument, y.argument, -1), 0.5);
          const bool is_sum = weight * its_weight > 0;
          const TermId made = arena_.multiply(
              arena_.product(2 * weight, x.rest),
              arena_.multiply(middle,
                              call(is_sum ? Op::Cosh : Op::Sinh, half)));
          forms.push_back(sum_with(term, {i, j}, made));
        }
      }
      if (x.rest.empty() && is_equal_size(weight, term.number)) {
        // exp(x) - 1 = 2*exp(x/2)*sinh(x/2)
        const TermId half = arena_.scale(x.argument, 0.5);
        const bool is_sum = weight * term.number > 0;
        const TermId made = arena_.scale(
            arena_.multiply(call(Op::Exp, half),
                            call(is_sum ? Op::Cosh : Op::Sinh, half)),
            2 * weight);
        Term rest = term;
        rest.number = 0;
        forms.push_back(sum_with(rest, {i}, made));
      }
    }
  }
}

void TermMoves::add_hyperbolic_products(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  // (exp(x) - 1)/(exp(x) + 1) = tanh(x/2)
  const auto exponential = [&](TermId sum,
                               double sign) -> std::optional<TermId> {
    const Term& inner = arena_.term(sum);
    if (inner.kind != TermKind::Sum || inner.parts.size() != 1) {
      return std::nullopt;
    }
    if (!is_equal_size(inner.parts[0].second, inner.number) ||
        sign * inner.number * inner.parts[0].second <= 0) {
      return std::nullopt;
    }
    return argument_of(arena_, inner.parts[0].first, Op::Exp);
  };
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const auto above = exponential(term.parts[i].first, -1);
    if (!above) continue;
    for (std::size_t j = 0; j < term.parts.size(); ++j) {
      const auto below = exponential(term.parts[j].first, 1);
      if (!below || *below != *above ||
          term.parts[j].second != -term.parts[i].second) {
        continue;
      }
      std::vector<Part> parts;
      for (std::size_t k = 0; k < term.parts.size(); ++k) {
        if (k != i && k != j) parts.push_back(term.parts[k]);
      }
      const Term& top = arena_.term(term.parts[i].first);
      const Term& bottom = arena_.term(term.parts[j].first);
      const double ratio = top.parts[0].second / bottom.parts[0].second;
      const double exponent = term.parts[i].second;
      parts.emplace_back(call(Op::Tanh, arena_.scale(*above, 0.5)), exponent);
      forms.push_back(
          arena_.product(term.number * std::pow(ratio, exponent), parts));
    }
  }
}

void TermMoves::add_exponential_functions(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.arguments.size() != 1) return;
  const TermId argument = term.arguments[0];
  const Term inner = arena_.term(argument);
  const TermId one = arena_.number(1);
  if (term.op == Op::Tanh) {
    const TermId power = call(Op::Exp, arena_.scale(argument, 2));
    const TermId below = arena_.add(power, one);
    forms.push_back(arena_.multiply(arena_.add(power, one, -1), below, -1));
    forms.push_back(arena_.add(one, arena_.power(below, -1), -2));
  }
  if (term.op == Op::Cosh || term.op == Op::Sinh) {
    const TermId power = call(Op::Exp, argument);
    forms.push_back(arena_.scale(arena_.add(power, arena_.power(power, -1),
                                            term.op == Op::Cosh ? 1 : -1),
                                 0.5));
  }
  if (term.op == Op::Log && inner.kind == TermKind::Product) {
    std::vector<Part> parts;
    for (const auto& [base, exponent] : inner.parts) {
      if (!arena_.is_positive(base)) return;
      parts.emplace_back(call(Op::Log, base), exponent);
    }
    if (inner.number > 0) {
      forms.push_back(arena_.sum(std::log(inner.number), parts));
    }
  }
  if (term.op == Op::Exp && inner.kind == TermKind::Sum) {
    for (std::size_t i = 0; i < inner.parts.size(); ++i) {
      const auto log = argument_of(arena_, inner.parts[i].first, Op::Log);
      if (!log) continue;
      Term rest = inner;
      rest.parts.erase(rest.parts.begin() + static_cast<std::ptrdiff_t>(i));
      forms.push_back(
          arena_.multiply(arena_.power(*log, inner.parts[i].second),
                          call(Op::Exp, arena_.sum(rest.number, rest.parts))));
    }
  }
}

void TermMoves::add_logarithms(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const double weight = term.parts[i].second;
    for (const FunctionFactor& x :
         functions_in(arena_, factors_of(term.parts[i].first))) {
      if (x.op != Op::Log || x.exponent != 1) continue;
      if (x.rest.empty() && term.number != 0) {
        // w*log(x) + k = w*log(x*exp(k/w))
        const TermId scaled =
            arena_.scale(x.argument, std::exp(term.number / weight));
        Term rest = term;
        rest.number = 0;
        if (arena_.is_finite(scaled)) {
          forms.push_back(
              sum_with(rest, {i}, arena_.scale(call(Op::Log, scaled), weight)));
        }
      }
      for (std::size_t j = i + 1; j < term.parts.size(); ++j) {
        const double other = term.parts[j].second;
        for (const FunctionFactor& y :
             functions_in(arena_, factors_of(term.parts[j].first))) {
          if (y.op != Op::Log || y.exponent != 1 || y.rest != x.rest) continue;
          const TermId merged =
              arena_.multiply(x.argument, y.argument, other / weight);
          const TermId made = arena_.multiply(arena_.product(weight, x.rest),
                                              call(Op::Log, merged));
          forms.push_back(sum_with(term, {i, j}, made));
        }
      }
    }
  }
}

}  // namespace lamarck::formula
