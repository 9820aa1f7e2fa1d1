// What new parts of trees are made of.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/gp/tree_form.h"

namespace lamarck::gp {

// Constants are log-uniform between these, of either sign, or one of `hints`:
// values that mean something in the problem, such as a capacity.
struct TreeConstants {
  double low = 0.01;
  double high = 100;
  std::vector<double> hints;
};

// Operations sorted by what they give. Immutable.
class TreeVocabulary {
 public:
  // By names from `formula::operations()`. An unknown name is an error, as is a
  // list without an operation that gives a number or a `where` without a
  // comparison. REQUIRES: 0 < low <= high, both finite, and finite hints.
  static Result<TreeVocabulary> make(const std::vector<std::string>& names,
                                     TreeConstants constants);

  bool has_branches() const { return has_branches_; }

  // Of those with as many arguments as `like` and of its kind, another one; or
  // `like` if there is none.
  formula::Op similar(formula::Op like, Rng& rng) const;
  // One that gives a number and takes numbers. Not `where`.
  formula::Op number_op(Rng& rng) const;

  // Few digits, for readers.
  double constant(Rng& rng) const;
  TreeNode constant_leaf(Rng& rng) const;
  // An input twice out of three times.
  TreeNode leaf(std::size_t inputs, Rng& rng) const;
  // Not deeper than `depth`. A truth is at least a comparison.
  Tree number(std::size_t inputs, std::size_t depth, Rng& rng) const;
  Tree truth(std::size_t inputs, std::size_t depth, Rng& rng) const;

 private:
  TreeVocabulary() = default;

  TreeConstants constants_;
  std::vector<formula::Op> numbers_;      // From numbers to a number.
  std::vector<formula::Op> comparisons_;  // From numbers to a truth.
  std::vector<formula::Op> logic_;        // From truths to a truth.
  bool has_branches_ = false;
};

// With so many significant digits.
double rounded_constant(double value, int digits);

}  // namespace lamarck::gp
