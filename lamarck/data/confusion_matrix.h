// Which classes are taken for which.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

enum class Average : std::uint8_t {
  Macro,  // The mean over the classes that occur, each with the same weight.
  Micro,  // Over all rows together; with one class for each row, the accuracy.
};

// Precision, recall and F1 as scikit-learn has them with zero_division=0: where
// nothing was to be divided by, they are 0.
class ConfusionMatrix {
 public:
  // Classes are numbers from 0 on; there are as many as the largest needs, or
  // `class_count` if that is more. Throws LogicError if the lengths differ,
  // there are no rows or more than 10,000 classes.
  ConfusionMatrix(std::span<const std::size_t> predicted,
                  std::span<const std::size_t> actual,
                  std::size_t class_count = 0);
  // Of class numbers, probabilities or one-hot rows, as `predicted_classes` and
  // `class_indices` take them.
  ConfusionMatrix(const Tensor& predictions, const Tensor& targets);

  std::size_t class_count() const { return class_count_; }
  // Rows of the class `actual` that were said to be `predicted`.
  std::size_t count(std::size_t actual, std::size_t predicted) const;

  double accuracy() const;
  // Of all that were said to be of the class, how many are.
  double precision(std::size_t label) const;
  // Of all that are of the class, how many were said to be.
  double recall(std::size_t label) const;
  double f1(std::size_t label) const;  // Their harmonic mean.

  double precision(Average average) const;
  double recall(Average average) const;
  double f1(Average average) const;

  // A table: a line for each actual class, a column for each predicted one.
  // Without names, classes are called by their numbers.
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
