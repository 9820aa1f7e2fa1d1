#include "lamarck/data/confusion_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

std::size_t checked_class_count(std::span<const std::size_t> predicted,
                                std::span<const std::size_t> actual,
                                std::size_t class_count) {
  REQUIRE(predicted.size() == actual.size(),
          "ConfusionMatrix: there must be one prediction for each row, got {} "
          "predictions for {} rows.",
          predicted.size(), actual.size());
  REQUIRE(!actual.empty(),
          "ConfusionMatrix: there must be at least one row, got 0.");
  const std::size_t largest =
      std::max(std::ranges::max(predicted), std::ranges::max(actual));
  // Compares `largest` because largest + 1 may overflow.
  REQUIRE(largest < kMaxClasses && class_count <= kMaxClasses,
          "ConfusionMatrix: at most {} classes are supported, got class {} and "
          "class_count {}.",
          kMaxClasses, largest, class_count);
  return std::max(class_count, largest + 1);
}

// Returns 0 for 0 / 0, like scikit-learn with zero_division=0.
double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// Counts characters, not bytes, so that columns of UTF-8 names line up.
std::string right_aligned(std::string_view text, std::size_t width) {
  const std::size_t length = unicode_length(text);
  return std::string(width > length ? width - length : 0, ' ') +
         std::string(text);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::span<const std::size_t> predicted,
                                 std::span<const std::size_t> actual,
                                 std::size_t class_count)
    : class_count_(checked_class_count(predicted, actual, class_count)),
      row_count_(actual.size()),
      counts_(class_count_ * class_count_) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ++counts_[actual[i] * class_count_ + predicted[i]];
  }
}

ConfusionMatrix::ConfusionMatrix(const Tensor& predictions,
                                 const Tensor& targets)
    : ConfusionMatrix(predicted_classes(predictions), class_indices(targets),
                      std::max(row_size(predictions, "ConfusionMatrix"),
                               row_size(targets, "ConfusionMatrix"))) {}

std::size_t ConfusionMatrix::count(std::size_t actual,
                                   std::size_t predicted) const {
  REQUIRE(actual < class_count_ && predicted < class_count_,
          "ConfusionMatrix::count: classes must be below {}, got actual {} and "
          "predicted {}.",
          class_count_, actual, predicted);
  return counts_[actual * class_count_ + predicted];
}

std::size_t ConfusionMatrix::actual_count(std::size_t label) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < class_count_; ++i) sum += count(label, i);
  return sum;
}

std::size_t ConfusionMatrix::predicted_count(std::size_t label) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < class_count_; ++i) sum += count(i, label);
  return sum;
}

double ConfusionMatrix::accuracy() const {
  std::size_t right = 0;
  for (std::size_t i = 0; i < class_count_; ++i) right += count(i, i);
  return ratio(right, row_count_);
}

double ConfusionMatrix::precision(std::size_t label) const {
  return ratio(count(label, label), predicted_count(label));
}

double ConfusionMatrix::recall(std::size_t label) const {
  return ratio(count(label, label), actual_count(label));
}

double ConfusionMatrix::f1(std::size_t label) const {
  return ratio(2 * count(label, label),
               actual_count(label) + predicted_count(label));
}

double ConfusionMatrix::precision(Average average) const {
  return average_of(&ConfusionMatrix::precision, average);
}

double ConfusionMatrix::recall(Average average) const {
  return average_of(&ConfusionMatrix::recall, average);
}

double ConfusionMatrix::f1(Average average) const {
  return average_of(&ConfusionMatrix::f1, average);
}

double ConfusionMatrix::average_of(Score score, Average average) const {
  // Each row has one class, so micro precision, recall and F1 all equal the
  // accuracy.
  if (average == Average::Micro) return accuracy();
  double sum = 0;
  double occurring = 0;
  for (std::size_t i = 0; i < class_count_; ++i) {
    if (actual_count(i) + predicted_count(i) == 0) continue;
    sum += (this->*score)(i);
    ++occurring;
  }
  return sum / occurring;  // At least one row exists, so some class occurs.
}

std::string ConfusionMatrix::to_string(
    std::span<const std::string> names) const {
  REQUIRE(names.empty() || names.size() >= class_count_,
          "ConfusionMatrix::to_string: each of the {} classes needs a name, "
          "got {} names.",
          class_count_, names.size());
  std::vector<std::string> shown;
  std::size_t width = std::to_string(row_count_).size();
  for (std::size_t i = 0; i < class_count_; ++i) {
    shown.push_back(names.empty() ? std::to_string(i) : one_line(names[i], 20));
    width = std::max(width, unicode_length(shown.back()));
  }
  const std::string corner = "actual \\ predicted";
  const std::size_t left = std::max(width, corner.size());
  std::string text = right_aligned(corner, left);
  for (const std::string& name : shown) {
    text += "  " + right_aligned(name, width);
  }
  for (std::size_t i = 0; i < class_count_; ++i) {
    text += "\n" + right_aligned(shown[i], left);
    for (std::size_t k = 0; k < class_count_; ++k) {
      text += "  " + right_aligned(std::to_string(count(i, k)), width);
    }
  }
  return text + "\n";
}

}  // namespace lamarck::data
