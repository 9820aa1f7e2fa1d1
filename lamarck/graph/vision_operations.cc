// Convolutions and pooling of images [batch, channels, height, width].

#include <string>

#include "lamarck/graph/internal/cleared_gradient.h"
#include "lamarck/graph/internal/onnx_expression.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/batched_convolution.h"
#include "lamarck/tensor/pooling.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

void require_images(std::string_view operation, const Shape& shape) {
  if (shape.rank() != 4) {
    throw_invalid_shape(operation, shape,
                        "images must have the axes batch, channels, height and "
                        "width; reshape them");
  }
}

// Throws LogicError unless at least one window fits.
void require_window(std::string_view operation, const Shape& image,
                    const WindowAxis& axis) {
  if (axis.kernel < 1 || axis.stride < 1 || axis.dilation < 1 ||
      axis.padding < 0) {
    throw_invalid_value(operation,
                        "kernel, stride and dilation must be at least 1 and "
                        "padding must be at least 0, got " +
                            std::to_string(axis.kernel) + ", " +
                            std::to_string(axis.stride) + ", " +
                            std::to_string(axis.dilation) + " and " +
                            std::to_string(axis.padding));
  }
  if (axis.reach() > axis.padded()) {
    throw_invalid_shape(operation, image,
                        "the kernel covers " + std::to_string(axis.reach()) +
                            " elements, but the padded axis has only " +
                            std::to_string(axis.padded()) +
                            "; use a smaller kernel or more padding");
  }
}

// integers: stride, padding and dilation, each for y and x; then groups.
Convolution make_convolution(const Shape& x, const Shape& weight,
                             const Attributes& attributes) {
  const auto& n = attributes.integers;
  return {.batch = x[0],
          .channels = x[1],
          .outputs = weight[0],
          .groups = n[6],
          .y = {x[2], weight[2], n[0], n[2], n[4]},
          .x = {x[3], weight[3], n[1], n[3], n[5]}};
}

void require_groups(const Convolution& c, const Shape& x, const Shape& weight) {
  const std::string groups = std::to_string(c.groups);
  if (c.groups < 1 || c.channels % c.groups != 0 || c.outputs % c.groups != 0) {
    throw_shape_mismatch("conv2d", x, weight,
                         "groups (" + groups + ") must divide the " +
                             std::to_string(c.channels) +
                             " input channels and the " +
                             std::to_string(c.outputs) + " output channels");
  }
  if (weight[1] != c.channels / c.groups) {
    throw_shape_mismatch("conv2d", x, weight,
                         "with groups = " + groups +
                             ", the second size of the weight must be " +
                             std::to_string(c.channels / c.groups));
  }
}

Shape conv2d_shape(const Operation&, std::span<const Shape> inputs,
                   const Attributes& attributes) {
  const Shape& x = inputs[0];
  const Shape& weight = inputs[1];
  require_images("conv2d", x);
  if (weight.rank() != 4) {
    throw_invalid_shape("conv2d", weight,
                        "a weight must have the axes outputs, channels / "
                        "groups, height and width");
  }
  const Convolution c = make_convolution(x, weight, attributes);
  require_groups(c, x, weight);
  require_window("conv2d", x, c.y);
  require_window("conv2d", x, c.x);
  if (inputs.size() == 3 && !(inputs[2] == Shape{weight[0]})) {
    throw_shape_mismatch("conv2d", weight, inputs[2],
                         "the bias must have one element per output channel");
  }
  return {x[0], weight[0], c.y.positions(), c.x.positions()};
}

std::int64_t conv2d_scratch(std::span<const Shape> inputs, const Shape&,
                            const Attributes& attributes) {
  return batched_scratch(make_convolution(inputs[0], inputs[1], attributes));
}

void conv2d_value(const ValueCall& call) {
  convolve_batch(make_convolution(*call.inputs[0].shape, *call.inputs[1].shape,
                                  *call.attributes),
                 call.inputs[0].data, call.inputs[1].data,
                 call.inputs.size() == 3 ? call.inputs[2].data : nullptr,
                 call.output.data, call.scratch);
}

void conv2d_gradient(const GradientCall& call) {
  const Convolution c = make_convolution(
      *call.inputs[0].shape, *call.inputs[1].shape, *call.attributes);
  const ConvolutionSums sums = {cleared_gradient(call, 1),
                                cleared_gradient(call, 2)};
  if (sums.kernels != nullptr || sums.bias != nullptr) {
    batch_weight_gradient(c, call.inputs[0].data, call.output_gradient, sums,
                          call.scratch);
  }
  if (call.input_gradients[0] != nullptr) {
    batch_input_gradient(c, call.output_gradient, call.inputs[1].data,
                         call.input_gradients[0], call.accumulate[0],
                         call.scratch);
  }
}

Shape channel_bias_shape(const Operation&, std::span<const Shape> inputs,
                         const Attributes&) {
  if (inputs[0].rank() < 2 || !(inputs[1] == Shape{inputs[0][1]})) {
    throw_shape_mismatch("channel_bias", inputs[0], inputs[1],
                         "the bias must have one element per channel (axis 1)");
  }
  return inputs[0];
}

// Calls each(channel, offset, count) for each channel of each sample.
template <class F>
void for_each_channel(const Shape& shape, F&& each) {
  std::int64_t count = 1;
  for (std::size_t i = 2; i < shape.rank(); ++i) count *= shape[i];
  for (std::int64_t at = 0; at < shape[0] * shape[1]; ++at) {
    each(at % shape[1], at * count, static_cast<std::size_t>(count));
  }
}

void channel_bias_value(const ValueCall& call) {
  for_each_channel(*call.output.shape, [&](std::int64_t channel,
                                           std::int64_t at, std::size_t count) {
    const float bias = call.inputs[1].data[channel];
    const float* x = call.inputs[0].data + at;
    float* y = call.output.data + at;
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] + bias;
  });
}

void channel_bias_gradient(const GradientCall& call) {
  const Shape& shape = *call.output.shape;
  if (float* dx = cleared_gradient(call, 0); dx != nullptr) {
    add_to(call.output_gradient, dx,
           static_cast<std::size_t>(shape.element_count()));
  }
  if (float* bias = cleared_gradient(call, 1); bias != nullptr) {
    for_each_channel(
        shape, [&](std::int64_t channel, std::int64_t at, std::size_t count) {
          bias[channel] += sum_of(call.output_gradient + at, count);
        });
  }
}

std::string channel_bias_onnx(const NodeShapes& shapes, const Attributes&) {
  std::vector<std::int64_t> sizes(shapes.output.rank(), 1);
  sizes[1] = -1;
  return "Add(a, Reshape(b, " + onnx_list(sizes) + "))";
}

// integers: kernel, stride and padding, each for y and x.
Pooling make_pooling(const Shape& x, const Attributes& attributes) {
  const auto& n = attributes.integers;
  return {.planes = x[0] * x[1],
          .y = {x[2], n[0], n[2], n[4]},
          .x = {x[3], n[1], n[3], n[5]}};
}

Shape pool_shape(const Operation& operation, std::span<const Shape> inputs,
                 const Attributes& attributes) {
  const Shape& x = inputs[0];
  require_images(operation.name, x);
  const Pooling pooling = make_pooling(x, attributes);
  for (const WindowAxis& axis : {pooling.y, pooling.x}) {
    require_window(operation.name, x, axis);
    // A larger padding would allow windows that contain only padding.
    if (2 * axis.padding > axis.kernel) {
      throw_invalid_value(operation.name,
                          "padding (" + std::to_string(axis.padding) +
                              ") must be at most half of the kernel (" +
                              std::to_string(axis.kernel) +
                              "); use pad() for more");
    }
  }
  return {x[0], x[1], pooling.y.positions(), pooling.x.positions()};
}

std::int64_t size_of_output(std::span<const Shape>, const Shape& output,
                            const Attributes&) {
  return output.element_count();
}

void max_pool2d_value(const ValueCall& call) {
  max_pool(make_pooling(*call.inputs[0].shape, *call.attributes),
           call.inputs[0].data, call.output.data, call.saved);
}

void max_pool2d_gradient(const GradientCall& call) {
  max_pool_gradient(make_pooling(*call.inputs[0].shape, *call.attributes),
                    call.saved, call.output_gradient, call.input_gradients[0],
                    call.accumulate[0]);
}

void avg_pool2d_value(const ValueCall& call) {
  average_pool(make_pooling(*call.inputs[0].shape, *call.attributes),
               call.inputs[0].data, call.output.data);
}

void avg_pool2d_gradient(const GradientCall& call) {
  average_pool_gradient(make_pooling(*call.inputs[0].shape, *call.attributes),
                        call.output_gradient, call.input_gradients[0],
                        call.accumulate[0]);
}

std::vector<OperationSample> pooling_samples() {
  return {{{{2, 2, 4, 6}}, {.integers = {2, 2, 2, 2}}},
          {{{1, 2, 4, 18}}, {.integers = {2, 2, 2, 2}}},
          {{{1, 2, 5, 4}}, {.integers = {3, 2, 1, 2, 1, 0}}},
          {{{2, 1, 3, 3}}, {.integers = {3, 3, 2, 2, 1, 1}}}};
}

}  // namespace

std::vector<Operation> vision_operations() {
  return {
      {.name = "conv2d",
       .what = "images convolved with filters, plus an optional bias",
       .min_inputs = 2,
       .max_inputs = 3,
       .shape = conv2d_shape,
       .value = conv2d_value,
       .gradient = conv2d_gradient,
       .scratch_size = conv2d_scratch,
       .gradient_reads_output = false,
       .onnx = "Conv(*; strides=[i0, i1], pads=[i2, i3, i2, i3], "
               "dilations=[i4, i5], group=i6)",
       .samples = {{{{2, 1, 5, 6}, {3, 1, 3, 3}, {3}},
                    {.integers = {1, 1, 1, 1, 1, 1, 1}}},
                   {{{1, 2, 4, 4}, {5, 2, 1, 2}},
                    {.integers = {1, 1, 0, 0, 1, 1, 1}}},
                   {{{2, 4, 6, 5}, {2, 2, 3, 2}, {2}},
                    {.integers = {2, 1, 1, 2, 1, 2, 2}}},
                   {{{1, 1, 5, 5}, {1, 1, 2, 2}},
                    {.integers = {3, 2, 0, 1, 2, 1, 1}}}}},
      {.name = "channel_bias",
       .what = "one element of b added to each channel of a",
       .min_inputs = 2,
       .max_inputs = 2,
       .shape = channel_bias_shape,
       .value = channel_bias_value,
       .gradient = channel_bias_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .write_onnx = channel_bias_onnx,
       .samples = {{{{2, 3, 2, 2}, {3}}, {}}, {{{4, 2}, {2}}, {}}}},
      {.name = "max_pool2d",
       .what = "the maximum of each window",
       .shape = pool_shape,
       .value = max_pool2d_value,
       .gradient = max_pool2d_gradient,
       .saved_size = size_of_output,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .onnx = "MaxPool(a; kernel_shape=[i0, i1], strides=[i2, i3], "
               "pads=[i4, i5, i4, i5])",
       .samples = pooling_samples()},
      {.name = "avg_pool2d",
       .what = "the mean of each window; padding counts as 0",
       .shape = pool_shape,
       .value = avg_pool2d_value,
       .gradient = avg_pool2d_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .onnx = "AveragePool(a; kernel_shape=[i0, i1], strides=[i2, i3], "
               "pads=[i4, i5, i4, i5], count_include_pad=1)",
       .samples = pooling_samples()},
  };
}

}  // namespace lamarck
