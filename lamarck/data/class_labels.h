// Conversions between the three forms of classes: indices from 0, one-hot rows,
// and rows of probabilities.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// The limit for targets and confusion matrices, which grow with its square.
inline constexpr std::size_t kMaxClasses = 10'000;

// Returns [n, class_count] with a 1 at each row's label and 0 elsewhere. Throws
// LogicError for a label that is not an integer below `class_count`.
Tensor one_hot(std::span<const std::size_t> labels, std::size_t class_count);
// The same for labels of shape [n] or [n, 1].
Tensor one_hot(const Tensor& labels, std::size_t class_count);

// Returns the class of each row: for [n, k] the index of the largest number
// (the first one on ties), for [n] or [n, 1] the integer itself. Throws
// LogicError for NaN and, in a single column, for anything but an integer >= 0.
std::vector<std::size_t> class_indices(const Tensor& targets);

// The same for a model's predictions: in [n] or [n, 1], a fraction is the
// probability of class 1 and is rounded (0.5 to 1).
std::vector<std::size_t> predicted_classes(const Tensor& predictions);

}  // namespace lamarck::data
