// The unary and binary functions of the tensor library as operations.

#include <algorithm>

#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/reductions.h"

namespace lamarck {
namespace {

std::size_t count_of(const Shape& shape) {
  return static_cast<std::size_t>(shape.element_count());
}

Shape unary_shape(const Operation&, std::span<const Shape> inputs,
                  const Attributes&) {
  return inputs[0];
}

void unary_value(const ValueCall& call) {
  call.operation->unary->value(call.inputs[0].data, call.output.data,
                               count_of(*call.output.shape),
                               call.attributes->numbers.data());
}

void unary_gradient(const GradientCall& call) {
  call.operation->unary->gradient(
      call.inputs[0].data, call.output.data, call.output_gradient,
      call.input_gradients[0], count_of(*call.output.shape),
      call.attributes->numbers.data(), call.accumulate[0]);
}

// The first integer attribute is 1 in losses: they compare element by element,
// and broadcasting [4, 1] and [4] to [4, 4] would give a
// plausible number.
Shape binary_shape(const Operation& operation, std::span<const Shape> inputs,
                   const Attributes& attributes) {
  const bool must_match = attributes.integers[0] == 1;
  if (must_match && !(inputs[0] == inputs[1])) {
    throw_shape_mismatch("loss", inputs[0], inputs[1],
                         "prediction and target must have the same shape; "
                         "reshape one of them");
  }
  return broadcast_shape(inputs[0], inputs[1], operation.name);
}

void binary_value(const ValueCall& call) {
  if (call.output.shape->element_count() == 0) return;
  run_binary(*call.operation->binary, *call.broadcast, call.inputs[0].data,
             call.inputs[1].data, call.output.data);
}

std::int64_t output_size(std::span<const Shape>, const Shape& output,
                         const Attributes&) {
  return output.element_count();
}

// The gradient of input i.
void binary_input_gradient(const GradientCall& call, std::size_t i) {
  if (call.input_gradients[i] == nullptr) return;
  const Shape& out = *call.output.shape;
  const Shape& shape = *call.inputs[i].shape;
  const BinaryOp& op = *call.operation->binary;
  // Write the result directly if the input was not broadcast and the gradient
  // does not add to an earlier one; else go through scratch memory.
  const bool is_direct = shape == out && !call.accumulate[i];
  float* to = is_direct ? call.input_gradients[i] : call.scratch;
  const float* given = to;
  if (op.slope_is_one[i]) {  // Passes the output gradient on unchanged.
    given = call.output_gradient;
    if (is_direct && to != given) {
      std::copy_n(given, out.element_count(), to);
    }
  } else if (out.element_count() > 0) {
    run_binary_gradient(i == 0 ? op.gradient_a : op.gradient_b, *call.broadcast,
                        call.inputs[0].data, call.inputs[1].data,
                        call.output_gradient, to);
  }
  if (!is_direct) {
    sum_to_shape(given, out, shape, call.input_gradients[i],
                 call.accumulate[i]);
  }
}

void binary_gradient(const GradientCall& call) {
  // If one input gradient shares memory with the output gradient, compute it
  // last: it overwrites what the other one still has to read.
  const bool is_first_in_place =
      call.input_gradients[0] == call.output_gradient;
  binary_input_gradient(call, is_first_in_place ? 1 : 0);
  binary_input_gradient(call, is_first_in_place ? 0 : 1);
}

}  // namespace

std::vector<Operation> elementwise_operations() {
  std::vector<Operation> operations;
  for (const UnaryOp& op : unary_ops()) {
    const Attributes attributes{.numbers = op.default_parameters};
    // Sample between two kinks, or above the only one: central differences are
    // wrong across a kink.
    const float low = op.kink_count == 1   ? op.kinks[0] + 0.1f
                      : op.kink_count == 2 ? op.kinks[0] + 0.1f
                                           : op.domain_low;
    const float high = op.kink_count == 2 ? op.kinks[1] - 0.1f : op.domain_high;
    operations.push_back({.name = op.name,
                          .what = op.what,
                          .shape = unary_shape,
                          .value = unary_value,
                          .gradient = unary_gradient,
                          .gradient_reads_inputs = op.slope_reads_x,
                          .gradient_reads_output = op.slope_reads_y,
                          .in_place = true,
                          .onnx = op.onnx,
                          .unary = &op,
                          .samples = {{{{3, 5}}, attributes, low, high},
                                      {{{}}, attributes, low, high}}});
  }
  for (const BinaryOp& op : binary_ops()) {
    const float low = op.has_kink ? -1 : op.b_low;
    operations.push_back(
        {.name = op.name,
         .what = op.what,
         .min_inputs = 2,
         .max_inputs = 2,
         .shape = binary_shape,
         .value = binary_value,
         .gradient = op.is_comparison ? nullptr : binary_gradient,
         .scratch_size = output_size,
         .gradient_reads_inputs = !op.slopes_are_constant,
         .gradient_reads_output = false,
         .in_place = true,
         .onnx = op.onnx,
         .binary = &op,
         .samples = {{{{3, 4}, {3, 4}}, {}, low, op.b_high},
                     {{{3, 4}, {4}}, {}, low, op.b_high},
                     {{{3, 1}, {1, 4}}, {}, low, op.b_high},
                     {{{}, {2, 3}}, {}, low, op.b_high}}});
  }
  return operations;
}

}  // namespace lamarck
