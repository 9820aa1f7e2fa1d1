// Other forms of a term: the identities of algebra, powers, trigonometric,
// exponential, hyperbolic and logarithmic functions.

#pragma once

#include <map>
#include <vector>

#include "lamarck/formula/rewriting/term_arena.h"

namespace lamarck::formula {

// The arena must outlive it.
class TermMoves {
 public:
  explicit TermMoves(TermArena& arena) : arena_(arena) {}

  // Forms with the same values as `id` on the rows of the arena. A form that is
  // valid for some signs only appears if the rows have these signs.
  std::vector<TermId> variants(TermId id);
  // `id` with all products of sums multiplied out, or with only those that
  // are not below a function.
  TermId expanded(TermId id);
  // The common factors of all terms of a sum taken out; `id` if there are none.
  TermId factored(TermId id);

 private:
  using Forms = std::vector<TermId>;

  // Algebra.
  TermId multiplied_out(TermId id);
  void add_partly_factored(TermId id, Forms& forms);
  void add_common_denominator(TermId id, Forms& forms);
  void add_squares(TermId id, Forms& forms);
  void add_pairs_of_sums(TermId id, Forms& forms);
  void add_absorbed_factors(TermId id, Forms& forms);
  void add_leading_terms(TermId id, Forms& forms);
  // Trigonometric functions.
  void add_squared_waves(TermId id, Forms& forms);
  void add_angle_sums(TermId id, Forms& forms);
  void add_wave_products(TermId id, Forms& forms);
  void add_wave_functions(TermId id, Forms& forms);
  // Exponential functions.
  void add_hyperbolic_sums(TermId id, Forms& forms);
  void add_hyperbolic_products(TermId id, Forms& forms);
  void add_exponential_functions(TermId id, Forms& forms);
  void add_logarithms(TermId id, Forms& forms);

  TermId call(Op op, TermId argument) {
    return arena_.function(op, std::span(&argument, 1));
  }
  // The factors of a part of a sum, without the coefficient.
  std::vector<Part> factors_of(TermId id) const;
  // The sum without the parts `skipped`, plus `added`.
  TermId sum_with(const Term& sum, const std::vector<std::size_t>& skipped,
                  TermId added);

  TermArena& arena_;
  std::map<TermId, TermId> expanded_;
};

}  // namespace lamarck::formula
