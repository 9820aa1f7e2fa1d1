#include "lamarck/formula/rewriting/term_moves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace lamarck::formula {
namespace {

constexpr std::size_t kMaxExpandedTerms = 60;
constexpr double kMaxExpandedPower = 6;

bool is_whole_number(double value) { return value == std::round(value); }

// Whether two numbers are equal up to rounding.
bool is_same(double a, double b) {
  return std::fabs(a - b) <= 1e-11 * (std::fabs(a) + std::fabs(b));
}

std::vector<Part> without_part(const std::vector<Part>& parts,
                               std::size_t index) {
  std::vector<Part> rest = parts;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
  return rest;
}

}  // namespace

std::vector<Part> TermMoves::factors_of(TermId id) const {
  const Term& term = arena_.term(id);
  if (term.kind == TermKind::Product) return term.parts;
  return {{id, 1}};
}

TermId TermMoves::sum_with(const Term& sum,
                           const std::vector<std::size_t>& skipped,
                           TermId added) {
  std::vector<Part> parts = {{added, 1}};
  for (std::size_t i = 0; i < sum.parts.size(); ++i) {
    if (std::find(skipped.begin(), skipped.end(), i) == skipped.end()) {
      parts.push_back(sum.parts[i]);
    }
  }
  return arena_.sum(sum.number, parts);
}

// Multiplies out the sums with small whole exponents in a product.
TermId TermMoves::multiplied_out(TermId id) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Product) return id;
  std::vector<Part> others;
  std::vector<TermId> sums;
  for (const auto& [base, exponent] : term.parts) {
    const bool is_sum = arena_.term(base).kind == TermKind::Sum &&
                        is_whole_number(exponent) && exponent > 0 &&
                        exponent <= kMaxExpandedPower;
    if (is_sum) {
      sums.insert(sums.end(), static_cast<std::size_t>(exponent), base);
    } else {
      others.emplace_back(base, exponent);
    }
  }
  if (sums.empty()) return id;
  std::vector<Part> terms = {{arena_.product(term.number, others), 1}};
  for (const TermId sum_id : sums) {
    const Term sum = arena_.term(sum_id);
    std::vector<Part> next;
    for (const auto& [left, weight] : terms) {
      for (const auto& [right, inner] : sum.parts) {
        next.emplace_back(arena_.multiply(left, right), weight * inner);
      }
      if (sum.number != 0) next.emplace_back(left, weight * sum.number);
    }
    if (next.size() > kMaxExpandedTerms) return id;
    const Term collected = arena_.term(arena_.sum(0, next));
    // Collects equal terms early, so that powers stay small.
    if (collected.kind == TermKind::Sum) {
      terms = collected.parts;
      if (collected.number != 0) {
        terms.emplace_back(arena_.number(1), collected.number);
      }
    } else {
      terms = next;
    }
  }
  return arena_.sum(0, terms);
}

TermId TermMoves::expanded(TermId id) {
  if (const auto at = expanded_.find(id); at != expanded_.end()) {
    return at->second;
  }
  const Term term = arena_.term(id);
  TermId result = id;
  if (term.kind == TermKind::Sum || term.kind == TermKind::Product) {
    std::vector<Part> parts;
    for (const auto& [part, number] : term.parts) {
      parts.emplace_back(expanded(part), number);
    }
    result = term.kind == TermKind::Sum
                 ? arena_.sum(term.number, parts)
                 : multiplied_out(arena_.product(term.number, parts));
  } else if (term.kind == TermKind::Function) {
    std::vector<TermId> arguments;
    for (const TermId argument : term.arguments) {
      arguments.push_back(expanded(argument));
    }
    result = arena_.apply(term.op, arguments);
  }
  expanded_.emplace(id, result);
  return result;
}

TermId TermMoves::factored(TermId id) {
  const Term term = arena_.term(id);
  if (term.kind == TermKind::Product) {
    // Sums among the factors.
    std::vector<Part> parts;
    bool changes = false;
    for (const auto& [base, exponent] : term.parts) {
      parts.emplace_back(factored(base), exponent);
      changes = changes || parts.back().first != base;
    }
    return changes ? arena_.product(term.number, parts) : id;
  }
  if (term.kind != TermKind::Sum || term.number != 0) return id;
  std::map<TermId, std::pair<double, std::size_t>> shared;
  for (const auto& [part, weight] : term.parts) {
    for (const auto& [base, exponent] : factors_of(part)) {
      const auto [at, is_new] =
          shared.try_emplace(base, std::pair(exponent, std::size_t{1}));
      if (is_new) continue;
      at->second.first = std::min(at->second.first, exponent);
      ++at->second.second;
    }
  }
  std::vector<Part> common;
  for (const auto& [base, use] : shared) {
    // A factor that some terms lack counts as a power of 0 there.
    const bool is_everywhere = use.second == term.parts.size();
    if (is_everywhere && use.first != 0) common.emplace_back(base, use.first);
  }
  if (common.empty()) return id;
  const TermId factor = arena_.product(1, common);
  std::vector<Part> rest;
  for (const auto& [part, weight] : term.parts) {
    rest.emplace_back(arena_.multiply(part, factor, -1), weight);
  }
  return arena_.multiply(factor, arena_.sum(0, rest));
}

void TermMoves::add_partly_factored(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Sum || term.parts.size() < 2) return;
  std::map<TermId, std::vector<std::size_t>> users;
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    for (const auto& [base, exponent] : factors_of(term.parts[i].first)) {
      users[base].push_back(i);
    }
  }
  for (const auto& [base, places] : users) {
    if (places.size() < 2) continue;
    std::vector<Part> grouped;
    double lowest = 0;
    for (const std::size_t place : places) {
      for (const auto& [other, exponent] :
           factors_of(term.parts[place].first)) {
        if (other != base) continue;
        if (lowest == 0 || std::fabs(exponent) < std::fabs(lowest)) {
          lowest = exponent;
        }
      }
      grouped.push_back(term.parts[place]);
    }
    const TermId factor = arena_.power(base, lowest);
    for (auto& [part, weight] : grouped) {
      part = arena_.multiply(part, factor, -1);
    }
    const TermId group =
        arena_.multiply(factor, factored(arena_.sum(0, grouped)));
    forms.push_back(sum_with(term, places, group));
  }
}

void TermMoves::add_common_denominator(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Sum) return;
  std::map<TermId, double> below;
  for (const auto& [part, weight] : term.parts) {
    for (const auto& [base, exponent] : factors_of(part)) {
      if (exponent < 0) below[base] = std::min(below[base], exponent);
    }
  }
  if (below.empty()) return;
  const auto combine = [&](const std::vector<Part>& denominator) {
    const TermId divisor = arena_.product(1, denominator);  // 1 / denominator
    std::vector<Part> above;
    for (const auto& [part, weight] : term.parts) {
      above.emplace_back(arena_.multiply(part, divisor, -1), weight);
    }
    above.emplace_back(arena_.power(divisor, -1), term.number);
    const TermId top = arena_.sum(0, above);
    forms.push_back(arena_.multiply(divisor, top));
    forms.push_back(arena_.multiply(divisor, factored(expanded(top))));
  };
  const std::vector<Part> all(below.begin(), below.end());
  combine(all);
  if (all.size() < 2) return;
  for (const Part& one : all) combine({one});
}

void TermMoves::add_squares(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Sum) return;
  std::vector<Part> parts = term.parts;
  if (term.number != 0) parts.emplace_back(arena_.number(1), term.number);
  // The square root, if it has no roots itself.
  const auto root = [&](const Part& part) -> std::optional<TermId> {
    std::vector<Part> halves;
    if (arena_.term(part.first).kind != TermKind::Number) {
      halves = factors_of(part.first);
    }
    for (auto& [base, exponent] : halves) {
      const bool is_allowed =
          std::fmod(exponent, 2) == 0 || arena_.is_positive(base);
      if (!is_allowed) return std::nullopt;
      exponent /= 2;
    }
    return arena_.product(std::sqrt(std::fabs(part.second)), halves);
  };
  std::vector<std::optional<TermId>> roots;
  for (const Part& part : parts) roots.push_back(root(part));
  const auto skipped = [&](std::initializer_list<std::size_t> places,
                           TermId added) {
    std::vector<Part> rest = {{added, 1}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (std::find(places.begin(), places.end(), i) == places.end()) {
        rest.push_back(parts[i]);
      }
    }
    return arena_.sum(0, rest);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      if (!roots[i] || !roots[j]) continue;
      if ((parts[i].second < 0) != (parts[j].second < 0)) {
        if (parts.size() != 2) continue;
        const double sign = parts[i].second < 0 ? -1 : 1;
        forms.push_back(
            arena_.scale(arena_.multiply(arena_.add(*roots[i], *roots[j], -1),
                                         arena_.add(*roots[i], *roots[j])),
                         sign));
        continue;
      }
      const double sign = parts[i].second < 0 ? -1 : 1;
      const TermId cross = arena_.multiply(*roots[i], *roots[j]);
      const Term crossed = arena_.term(cross);
      const double scale =
          crossed.kind == TermKind::Product || crossed.kind == TermKind::Number
              ? crossed.number
              : 1;
      const TermId monic = arena_.scale(cross, 1 / scale);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (k == i || k == j || parts[k].first != monic) continue;
        const double ratio = parts[k].second / (2 * scale * sign);
        if (!is_same(std::fabs(ratio), 1)) continue;
        const TermId square = arena_.power(
            arena_.add(*roots[i], *roots[j], ratio < 0 ? -1 : 1), 2);
        forms.push_back(skipped({i, j, k}, arena_.scale(square, sign)));
      }
    }
  }
}

// Multiplies pairs of sums that have the same exponent: (a - b)*(a + b).
void TermMoves::add_pairs_of_sums(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Product) return;
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const auto [a, exponent] = term.parts[i];
    if (arena_.term(a).kind != TermKind::Sum) continue;
    for (std::size_t j = i + 1; j < term.parts.size(); ++j) {
      const auto [b, other] = term.parts[j];
      if (arena_.term(b).kind != TermKind::Sum || exponent != other) continue;
      std::vector<Part> parts = without_part(without_part(term.parts, j), i);
      parts.emplace_back(multiplied_out(arena_.multiply(a, b)), exponent);
      forms.push_back(arena_.product(term.number, parts));
    }
    if (std::fmod(exponent, 2) == 0) {
      std::vector<Part> parts = without_part(term.parts, i);
      parts.emplace_back(multiplied_out(arena_.power(a, 2)), exponent / 2);
      forms.push_back(arena_.product(term.number, parts));
    }
  }
}

// Moves another factor into a sum: c/sqrt(c**2 - u**2) is 1/sqrt(1 -
// u**2/c**2).
void TermMoves::add_absorbed_factors(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Product) return;
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    const auto [sum, exponent] = term.parts[i];
    if (arena_.term(sum).kind != TermKind::Sum) continue;
    for (std::size_t j = 0; j < term.parts.size(); ++j) {
      const auto [factor, power] = term.parts[j];
      if (i == j) continue;
      const double inner = power / exponent;
      if (!is_whole_number(2 * inner) || std::fabs(inner) > 4) continue;
      const std::array<Part, 2> both = {Part{sum, 1}, Part{factor, inner}};
      std::vector<Part> parts = term.parts;
      parts[i].first = multiplied_out(arena_.product(1, both));
      forms.push_back(arena_.product(term.number, without_part(parts, j)));
    }
  }
}

// Takes one term out of a sum: a + b = a*(1 + b/a).
void TermMoves::add_leading_terms(TermId id, Forms& forms) {
  const Term term = arena_.term(id);
  if (term.kind != TermKind::Sum || term.parts.size() > 6) return;
  for (const auto& [lead, weight] : term.parts) {
    std::vector<Part> rest;
    for (const auto& [part, other] : term.parts) {
      rest.emplace_back(arena_.multiply(part, lead, -1), other);
    }
    rest.emplace_back(arena_.power(lead, -1), term.number);
    forms.push_back(arena_.multiply(lead, arena_.sum(0, rest)));
  }
}

std::vector<TermId> TermMoves::variants(TermId id) {
  Forms forms;
  switch (arena_.term(id).kind) {
    case TermKind::Sum: {
      const TermId out = expanded(id);
      forms.push_back(factored(id));
      forms.push_back(out);
      forms.push_back(factored(out));
      add_partly_factored(id, forms);
      add_common_denominator(id, forms);
      add_squares(id, forms);
      add_leading_terms(id, forms);
      add_squared_waves(id, forms);
      add_angle_sums(id, forms);
      add_hyperbolic_sums(id, forms);
      add_logarithms(id, forms);
      break;
    }
    case TermKind::Product: {
      const TermId out = multiplied_out(id);
      forms.push_back(out);
      forms.push_back(factored(expanded(id)));
      forms.push_back(factored(id));
      add_pairs_of_sums(id, forms);
      add_absorbed_factors(id, forms);
      add_wave_products(id, forms);
      add_hyperbolic_products(id, forms);
      break;
    }
    case TermKind::Function:
      add_wave_functions(id, forms);
      add_exponential_functions(id, forms);
      break;
    case TermKind::Number:
    case TermKind::Input:
      break;
  }
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  std::erase_if(forms, [&](TermId form) {
    return form == id || !arena_.agree(id, form);
  });
  return forms;
}

}  // namespace lamarck::formula
