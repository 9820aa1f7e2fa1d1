// Finds the smallest form of a formula that has the same values: a best-first
// search over the identities in term_moves.h.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/formula/expression.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/rewriting/term_writer.h"

namespace lamarck::formula {

struct RewriteOptions {
  // Numbers that differ by less, relatively, are equal: 1.9999999999999998 is
  // 2, and terms that cancel up to this vanish.
  double tolerance = 1e-12;
  // Writes numbers as fractions, roots and multiples of pi within this relative
  // tolerance; 0 keeps them.
  double recognition = 0;
  std::size_t max_forms = 2000;   // Formulas to look at.
  std::size_t max_terms = 30000;  // Distinct subterms of all of them.
};

struct Rewriting {
  Expression body;
  std::vector<double> params;              // The numbers that are not simple.
  std::vector<WrittenConstant> constants;  // If they are recognized.
};

// The values are the same on the given rows up to rounding and `tolerance`,
// which also decide the signs that identities such as sqrt(x**2) = x need. The
// result is deterministic. Once `cancel` is cancelled, returns the smallest
// form so far. Returns the formula unchanged if its values are not finite.
//
// REQUIRES: a number for each param, and a column for each input.
Rewriting rewrite(const Expression& body, std::span<const double> params,
                  const Columns& columns, const RewriteOptions& options = {},
                  const CancelToken& cancel = {});

}  // namespace lamarck::formula
