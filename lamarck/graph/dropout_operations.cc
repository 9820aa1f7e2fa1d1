// Dropout.

#include <fmt/format.h>

#include "lamarck/base/hash.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/dropout.h"

namespace lamarck {
namespace {

// numbers: the probability; integers: the lower and the upper half of the seed.
// The mask is a function of the seed, the run and the position, so the gradient
// recomputes it instead of storing it.
Shape dropout_shape(const Operation&, std::span<const Shape> inputs,
                    const Attributes& attributes) {
  const float probability = attributes.numbers[0];
  if (!(probability >= 0 && probability <= 1)) {
    throw_invalid_value(
        "dropout",
        fmt::format("the probability must be between 0 and 1, got {}",
                    probability));
  }
  if (inputs[1].element_count() != 1) {
    throw_shape_mismatch("dropout", inputs[0], inputs[1],
                         "the training flag must be one number, 1 or 0");
  }
  return inputs[0];
}

Dropout make_dropout(const Attributes& attributes, std::uint64_t run,
                     float training) {
  const auto lower = static_cast<std::uint64_t>(attributes.integers[0]);
  const auto upper = static_cast<std::uint64_t>(attributes.integers[1]);
  const std::uint64_t seed = lower + (upper << 32);
  return {.key = mix64(mix64(seed + 0x9e3779b97f4a7c15) + run),
          .probability = training > 0.5f ? attributes.numbers[0] : 0};
}

void dropout_value(const ValueCall& call) {
  // The flag may change before the gradient runs, so keep its value.
  call.saved[0] = call.inputs[1].data[0];
  drop_out(make_dropout(*call.attributes, call.run, call.saved[0]),
           call.inputs[0].data, call.output.data,
           static_cast<std::size_t>(call.output.shape->element_count()));
}

void dropout_gradient(const GradientCall& call) {
  Dropout dropout = make_dropout(*call.attributes, call.run, call.saved[0]);
  dropout.accumulate = call.accumulate[0];
  drop_out(dropout, call.output_gradient, call.input_gradients[0],
           static_cast<std::size_t>(call.output.shape->element_count()));
}

std::int64_t one(std::span<const Shape>, const Shape&, const Attributes&) {
  return 1;
}

}  // namespace

std::vector<Operation> dropout_operations() {
  return {
      // The sample turns the flag off: every run draws a new mask, and the
      // tests compare runs.
      {.name = "dropout",
       .what = "elements zeroed at random in training; identity otherwise",
       .min_inputs = 2,
       .max_inputs = 2,
       .shape = dropout_shape,
       .value = dropout_value,
       .gradient = dropout_gradient,
       .saved_size = one,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .in_place = true,
       .differentiable_inputs = 1,
       .onnx = "Identity(a)",  // Evaluation mode.
       .samples = {{{{3, 7}, {}}, {.numbers = {0.5f}}, -1, 0.5f}}},
  };
}

}  // namespace lamarck
