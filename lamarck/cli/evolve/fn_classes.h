// Two classes as the target of `lamarck evolve fn`: the law is fitted to -1 and
// 1, and its sign decides.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/data/table.h"

namespace lamarck::cli {

struct FnClasses {
  std::string negative;
  std::string positive;
};

// The two words of a column of text, in the order of their bytes; nullopt for
// numbers, or another number of words.
std::optional<FnClasses> two_classes(const data::Column& column);

// Returns the table with -1 and 1 in place of the classes, and NaN where a cell
// is empty. Fails if the column contains other words, or numbers.
Result<data::Table> with_signs(const data::Table& table,
                               const std::string& target,
                               const FnClasses& classes);

// How well the sign of a law decides.
struct SignJudgement {
  // By true and predicted class, the negative one first.
  std::array<std::array<std::size_t, 2>, 2> confusion{};
  // The probability of the positive class is 1/(1 + exp(-steepness * value)).
  double steepness = 1;

  std::size_t rows() const;
  double accuracy() const;
};

// Whether the law decides for the positive class.
inline bool is_positive(double value) { return value > 0; }

// `target` has -1 and 1. The steepness has the highest likelihood, where each
// class counts one row more than it has, so that it is finite.
SignJudgement judge_signs(const std::vector<double>& values,
                          const std::vector<double>& target);

double positive_probability(double value, double steepness);

// "The sign decides: positive is 'yes', ..." with accuracy and confusion.
std::string classes_text(const FnClasses& classes, const SignJudgement& judged);
Json classes_json(const FnClasses& classes, const SignJudgement& judged);

// What `predict` needs, as classes_json writes it.
struct StoredClasses {
  FnClasses classes;
  double steepness = 1;
};
Result<StoredClasses> parse_classes(const std::string& json);

}  // namespace lamarck::cli
