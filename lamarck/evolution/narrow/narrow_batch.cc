#include <fmt/format.h>

#include <algorithm>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/narrow/narrow_plan.h"

namespace lamarck::evolution {
namespace {

constexpr std::size_t kNarrowestBlock = 4;

bool is_given(const Tensor& tensor) {
  return tensor.rank() > 0 && tensor.element_count() > 0;
}

std::size_t size_of(const Tensor& tensor, std::size_t axis) {
  return static_cast<std::size_t>(tensor.shape()[axis]);
}

std::int64_t signed_size(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

std::string shapes(const char* problem, const Tensor& a, const Tensor& b) {
  return fmt::format("NarrowBatch: {}, {} beside inputs {}", problem,
                     a.shape().to_string(), b.shape().to_string());
}

// The least width for all of the rows, or for as many that little is padding.
std::size_t width_for(std::size_t rows) {
  std::size_t width = kNarrowestBlock;
  while (width < rows && width < kWidestBlock) width *= 2;
  return width > 16 && rows <= width / 4 * 3 ? width / 2 : width;
}

}  // namespace

NarrowBatch::NarrowBatch(const Tensor& inputs, const Tensor& targets,
                         const Tensor& weights, double scale) {
  set_sizes(inputs, targets);
  split_rows();
  laid_inputs_ = laid_out(inputs.contiguous(), steps_, inputs_);
  if (outputs_ > 0) {
    laid_targets_ = laid_out(targets.contiguous(),
                             only_last_counts_ ? 1 : steps_, outputs_);
  }
  Tensor importance = given_importance(weights);
  const double sum = scale == 0 ? sum_that_counts(importance) : scale;
  if (sum != 0) {
    for (float& value : importance.data()) {
      value = static_cast<float>(static_cast<double>(value) / sum);
    }
  }
  laid_importance_ = laid_out(importance, steps_, 1);
}

void NarrowBatch::set_sizes(const Tensor& inputs, const Tensor& targets) {
  REQUIRE(inputs.rank() == 2 || inputs.rank() == 3,
          fmt::format("NarrowBatch: inputs are [rows, features] or [rows, "
                      "steps, features], not {}",
                      inputs.shape().to_string()));
  has_steps_ = inputs.rank() == 3;
  rows_ = size_of(inputs, 0);
  steps_ = has_steps_ ? size_of(inputs, 1) : 1;
  inputs_ = size_of(inputs, inputs.rank() - 1);
  REQUIRE(steps_ > 0, "NarrowBatch: a sequence has at least one step");
  if (!is_given(targets)) return;
  REQUIRE(targets.rank() == 2 || targets.rank() == inputs.rank(),
          shapes("targets have other axes", targets, inputs));
  REQUIRE(size_of(targets, 0) == rows_ &&
              (targets.rank() == 2 || size_of(targets, 1) == steps_),
          shapes("targets have other rows or steps", targets, inputs));
  outputs_ = size_of(targets, targets.rank() - 1);
  only_last_counts_ = has_steps_ && targets.rank() == 2;
}

void NarrowBatch::split_rows() {
  std::size_t lane = 0;
  for (std::size_t first = 0; first < rows_;) {
    const std::size_t width = width_for(rows_ - first);
    const std::size_t rows = std::min(width, rows_ - first);
    blocks_.push_back({first, rows, width, lane});
    first += rows;
    lane += width;
  }
}

// REQUIRES: [rows, steps, features], contiguous, whatever its axes are called.
Tensor NarrowBatch::laid_out(const Tensor& from, std::size_t steps,
                             std::size_t features) const {
  const std::size_t lanes =
      blocks_.empty() ? 0 : blocks_.back().lane + blocks_.back().width;
  const std::size_t row_size = steps * features;
  Tensor laid = Tensor::zeros({signed_size(lanes * row_size)});
  const float* source = from.begin_of_data();
  for (const Block& block : blocks_) {
    float* to = laid.begin_of_data() + block.lane * row_size;
    for (std::size_t r = 0; r < block.rows; ++r) {
      const float* row = source + (block.first + r) * row_size;
      for (std::size_t k = 0; k < row_size; ++k) {
        to[k * block.width + r] = row[k];
      }
    }
  }
  return laid;
}

// [rows, steps], a copy.
Tensor NarrowBatch::given_importance(const Tensor& weights) const {
  Tensor all = Tensor::ones({signed_size(rows_), signed_size(steps_)});
  if (!is_given(weights)) return all;
  const bool by_step = weights.rank() == 2;
  REQUIRE((weights.rank() == 1 || by_step) && size_of(weights, 0) == rows_ &&
              (!by_step || size_of(weights, 1) == steps_),
          fmt::format("NarrowBatch: weights are [{}] or [{}, {}], not {}",
                      rows_, rows_, steps_, weights.shape().to_string()));
  const Tensor given = weights.contiguous();
  const float* from = given.begin_of_data();
  float* to = all.begin_of_data();
  for (std::size_t i = 0; i < rows_ * steps_; ++i) {
    to[i] = from[by_step ? i : i / steps_];
  }
  return all;
}

double NarrowBatch::sum_that_counts(const Tensor& importance) const {
  const float* from = importance.begin_of_data();
  double total = 0;
  for (std::size_t i = 0; i < rows_ * steps_; ++i) {
    const bool counts = !only_last_counts_ || (i + 1) % steps_ == 0;
    if (counts) total += static_cast<double>(from[i]);
  }
  return total;
}

}  // namespace lamarck::evolution
