#include <algorithm>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/neuron/neuron_plan.h"

namespace lamarck::evolution {
namespace {

constexpr std::size_t kMinBlockWidth = 4;

bool is_given(const Tensor& tensor) {
  return tensor.rank() > 0 && tensor.element_count() > 0;
}

std::size_t size_of(const Tensor& tensor, std::size_t axis) {
  return static_cast<std::size_t>(tensor.shape()[axis]);
}

std::int64_t signed_size(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

// The width of the next block: the smallest that holds all remaining rows. If
// more than a quarter of a wide block would be padding, half the width; the
// rest of the rows then goes to further blocks.
std::size_t width_for(std::size_t rows) {
  std::size_t width = kMinBlockWidth;
  while (width < rows && width < kMaxBlockWidth) width *= 2;
  return width > 16 && rows <= width / 4 * 3 ? width / 2 : width;
}

}  // namespace

NeuronBatch::NeuronBatch(const Tensor& inputs, const Tensor& targets,
                         const Tensor& weights, double scale) {
  set_sizes(inputs, targets);
  split_rows();
  laid_inputs_ = lay_out(inputs.contiguous(), steps_, inputs_);
  if (outputs_ > 0) {
    laid_targets_ =
        lay_out(targets.contiguous(), only_last_counts_ ? 1 : steps_, outputs_);
  }
  // The weights are divided by the scale once here, so that the kernels need
  // not divide losses and gradients.
  Tensor importance = make_importance(weights);
  const double sum = scale == 0 ? counted_weight(importance) : scale;
  if (sum != 0) {
    for (float& value : importance.data()) {
      value = static_cast<float>(static_cast<double>(value) / sum);
    }
  }
  laid_importance_ = lay_out(importance, steps_, 1);
}

void NeuronBatch::set_sizes(const Tensor& inputs, const Tensor& targets) {
  REQUIRE(inputs.rank() == 2 || inputs.rank() == 3,
          "NeuronBatch: inputs must be [rows, features] or [rows, steps, "
          "features], got {}.",
          inputs.shape().to_string());
  has_steps_ = inputs.rank() == 3;
  rows_ = size_of(inputs, 0);
  steps_ = has_steps_ ? size_of(inputs, 1) : 1;
  inputs_ = size_of(inputs, inputs.rank() - 1);
  REQUIRE(steps_ > 0,
          "NeuronBatch: a sequence must have at least one step, got inputs {}.",
          inputs.shape().to_string());
  if (!is_given(targets)) return;
  REQUIRE(targets.rank() == 2 || targets.rank() == inputs.rank(),
          "NeuronBatch: targets must be [rows, outputs], or [rows, steps, "
          "outputs] if the inputs have steps, got {} for inputs {}.",
          targets.shape().to_string(), inputs.shape().to_string());
  REQUIRE(size_of(targets, 0) == rows_ &&
              (targets.rank() == 2 || size_of(targets, 1) == steps_),
          "NeuronBatch: targets must have the rows and steps of the inputs, "
          "got {} for inputs {}.",
          targets.shape().to_string(), inputs.shape().to_string());
  outputs_ = size_of(targets, targets.rank() - 1);
  only_last_counts_ = has_steps_ && targets.rank() == 2;
}

void NeuronBatch::split_rows() {
  std::size_t lane = 0;
  for (std::size_t first = 0; first < rows_;) {
    const std::size_t width = width_for(rows_ - first);
    const std::size_t rows = std::min(width, rows_ - first);
    blocks_.push_back({first, rows, width, lane});
    first += rows;
    lane += width;
  }
}

// Transposes each block from [rows, steps, features] to [steps, features,
// width], so that the values of one feature for all rows of a block are
// adjacent and load as vectors. REQUIRES: `from` is contiguous and has
// rows * steps * features numbers; its shape is ignored.
Tensor NeuronBatch::lay_out(const Tensor& from, std::size_t steps,
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

// The weight of each row and step, as a new tensor [rows, steps].
Tensor NeuronBatch::make_importance(const Tensor& weights) const {
  Tensor all = Tensor::ones({signed_size(rows_), signed_size(steps_)});
  if (!is_given(weights)) return all;
  const bool by_step = weights.rank() == 2;
  REQUIRE((weights.rank() == 1 || by_step) && size_of(weights, 0) == rows_ &&
              (!by_step || size_of(weights, 1) == steps_),
          "NeuronBatch: weights must be [{}] or [{}, {}], got {}.", rows_,
          rows_, steps_, weights.shape().to_string());
  const Tensor given = weights.contiguous();
  const float* from = given.begin_of_data();
  float* to = all.begin_of_data();
  for (std::size_t i = 0; i < rows_ * steps_; ++i) {
    to[i] = from[by_step ? i : i / steps_];
  }
  return all;
}

// The sum of the weights of all steps that have a target.
double NeuronBatch::counted_weight(const Tensor& importance) const {
  const float* from = importance.begin_of_data();
  double total = 0;
  for (std::size_t i = 0; i < rows_ * steps_; ++i) {
    const bool counts = !only_last_counts_ || (i + 1) % steps_ == 0;
    if (counts) total += static_cast<double>(from[i]);
  }
  return total;
}

}  // namespace lamarck::evolution
