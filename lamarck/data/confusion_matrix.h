// Counts of actual against predicted classes, and the scores derived from them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

enum class Average : std::uint8_t {
  Macro,  // The unweighted mean over the classes that occur.
  Micro,  // Over all rows; with one class per row, this is the accuracy.
};

// Precision, recall and F1 follow scikit-learn with zero_division=0: a score
// whose denominator is 0 is 0.
class ConfusionMatrix {
 public:
  // Classes are indices from 0. The number of classes is the larger of
  // `class_count` and the largest class plus 1. Throws LogicError if the
  // lengths differ, if there are no rows, or if there are more than 10,000
  // classes.
  ConfusionMatrix(std::span<const std::size_t> predicted,
                  std::span<const std::size_t> actual,
                  std::size_t class_count = 0);
  // Accepts class indices, probabilities or one-hot rows, as
  // `predicted_classes` and `class_indices` do.
  ConfusionMatrix(const Tensor& predictions, const Tensor& targets);

  std::size_t class_count() const { return class_count_; }
  // The number of rows of class `actual` that were predicted as `predicted`.
  std::size_t count(std::size_t actual, std::size_t predicted) const;

  double accuracy() const;
  // The fraction of predictions of this class that are correct.
  double precision(std::size_t label) const;
  // The fraction of rows of this class that were predicted correctly.
  double recall(std::size_t label) const;
  double f1(std::size_t label) const;  // The harmonic mean of both.

  double precision(Average average) const;
  double recall(Average average) const;
  double f1(Average average) const;

  // A table with one line per actual class and one column per predicted class.
  // Without names, classes are labeled by their indices. REQUIRES: names is
  // empty or has a name for each class.
  std::string to_string(std::span<const std::string> names = {}) const;

 private:
  using Score = double (ConfusionMatrix::*)(std::size_t) const;
  std::size_t actual_count(std::size_t label) const;
  std::size_t predicted_count(std::size_t label) const;
  double average_of(Score score, Average average) const;

  std::size_t class_count_;
  std::size_t row_count_;
  std::vector<std::size_t> counts_;  // By actual class, then by predicted.
};

}  // namespace lamarck::data
