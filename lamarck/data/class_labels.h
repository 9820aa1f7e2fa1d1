// Classes in their three forms: numbers from 0 on, one-hot rows, and rows of
// probabilities.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

inline constexpr std::size_t kMostClasses = 10'000;

// A row of 0s with a 1 at the label, for each label: [n, class_count]. Throws
// LogicError for a label that is not a whole number below `class_count`.
Tensor one_hot(std::span<const std::size_t> labels, std::size_t class_count);
// Of labels [n] or [n, 1].
Tensor one_hot(const Tensor& labels, std::size_t class_count);

// The class of each row: of [n, k] the place of its largest number (the first
// of equals), of [n] or [n, 1] the whole number itself. Throws LogicError for
// NaN and for what is not such a number.
std::vector<std::size_t> class_indices(const Tensor& targets);

// Likewise for what a model says: in [n] or [n, 1], a fraction is the
// probability of class 1 and is rounded, 0.5 to 1.
std::vector<std::size_t> predicted_classes(const Tensor& predictions);

}  // namespace lamarck::data
