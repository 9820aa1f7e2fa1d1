// Draws the operations, inputs and constants of new subtrees.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/gp/tree_form.h"

namespace lamarck::gp {

// Constants are log-uniform between `low` and `high`, with either sign, or one
// of `hints`: values that mean something in the problem, such as a capacity.
struct TreeConstants {
  double low = 0.01;
  double high = 100;
  std::vector<double> hints;
};

// Operations grouped by the types of their arguments and results. Immutable.
class TreeVocabulary {
 public:
  // `names` are from `formula::operations()`. Returns an error for an unknown
  // name, if no operation returns a number, or if there is `where` without a
  // comparison. REQUIRES: 0 < low <= high, both finite, and finite hints.
  static Result<TreeVocabulary> make(const std::vector<std::string>& names,
                                     TreeConstants constants);

  bool has_branches() const { return has_branches_; }

  // Draws another operation with the same argument and result types as `like`,
  // or returns `like` if there is none.
  formula::Op similar(formula::Op like, Rng& rng) const;
  // Draws an operation from numbers to a number; never `where`.
  formula::Op number_op(Rng& rng) const;

  // Rounded to two digits, unless it is a hint, to keep formulas readable.
  double constant(Rng& rng) const;
  TreeNode constant_leaf(Rng& rng) const;
  // An input with probability 2/3, else a constant.
  TreeNode leaf(std::size_t inputs, Rng& rng) const;
  // Random subtrees of at most `depth` levels. A truth value has at least two
  // levels, since it needs a comparison.
  Tree number(std::size_t inputs, std::size_t depth, Rng& rng) const;
  Tree truth(std::size_t inputs, std::size_t depth, Rng& rng) const;

 private:
  TreeVocabulary() = default;

  TreeConstants constants_;
  std::vector<formula::Op> numbers_;      // From numbers to a number.
  std::vector<formula::Op> comparisons_;  // From numbers to a truth value.
  std::vector<formula::Op> logic_;        // From truth values to one.
  bool has_branches_ = false;
};

// Rounds to `digits` significant digits.
double rounded_constant(double value, int digits);

}  // namespace lamarck::gp
