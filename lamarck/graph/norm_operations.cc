// Layer normalization along the last axis, and batch normalization of channels.

#include <algorithm>
#include <cmath>

#include "lamarck/graph/internal/cleared_gradient.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

// The training flag is an input, so that switching it needs no new plan.
bool is_on(const ConstView& flag) { return flag.data[0] > 0.5f; }

// numbers: epsilon.
Shape layer_norm_shape(const Operation&, std::span<const Shape> inputs,
                       const Attributes&) {
  const Shape& x = inputs[0];
  if (x.rank() == 0 || x.from_back(0) == 0) {
    throw_invalid_shape("layer_norm", x, "the last axis must not be empty");
  }
  for (const Shape& each : inputs.subspan(1)) {
    if (!(each == Shape{x.from_back(0)})) {
      throw_shape_mismatch("layer_norm", x, each,
                           "scale and shift must have the size of the last "
                           "axis");
    }
  }
  return x;
}

// A tensor as rows along its last axis.
struct Rows {
  explicit Rows(const Shape& shape)
      : width(static_cast<std::size_t>(shape.from_back(0))),
        count(static_cast<std::size_t>(shape.element_count()) / width) {}

  std::size_t width;
  std::size_t count;
};

// Saves the mean and 1 / deviation of each row for the gradient.
void layer_norm_value(const ValueCall& call) {
  const Rows rows(*call.output.shape);
  const float* scale_by = call.inputs[1].data;
  const float* shift = call.inputs[2].data;
  const auto width = static_cast<float>(rows.width);
  for (std::size_t row = 0; row < rows.count; ++row) {
    const float* x = call.inputs[0].data + row * rows.width;
    float* y = call.output.data + row * rows.width;
    const float mean = sum_of(x, rows.width) / width;
    for (std::size_t i = 0; i < rows.width; ++i) y[i] = x[i] - mean;
    const float variance = dot(y, y, rows.width) / width;
    const float factor = 1 / std::sqrt(variance + call.attributes->numbers[0]);
    for (std::size_t i = 0; i < rows.width; ++i) {
      y[i] = y[i] * factor * scale_by[i] + shift[i];
    }
    call.saved[2 * row] = mean;
    call.saved[2 * row + 1] = factor;
  }
}

// With n the normalized row, g = dy * scale and factor = 1 / deviation:
//   dx = factor * (g - mean(g) - n * mean(g * n)).
void layer_norm_gradient(const GradientCall& call) {
  const Rows rows(*call.output.shape);
  const float* scale_by = call.inputs[1].data;
  float* dx = cleared_gradient(call, 0);
  float* d_scale = cleared_gradient(call, 1);
  float* d_shift = cleared_gradient(call, 2);
  float* normal = call.scratch;
  float* given = call.scratch + rows.width;
  const auto width = static_cast<float>(rows.width);
  for (std::size_t row = 0; row < rows.count; ++row) {
    const float* x = call.inputs[0].data + row * rows.width;
    const float* dy = call.output_gradient + row * rows.width;
    const float mean = call.saved[2 * row];
    const float factor = call.saved[2 * row + 1];
    for (std::size_t i = 0; i < rows.width; ++i) {
      normal[i] = (x[i] - mean) * factor;
      given[i] = dy[i] * scale_by[i];
    }
    if (d_scale != nullptr) {
      for (std::size_t i = 0; i < rows.width; ++i) {
        d_scale[i] += dy[i] * normal[i];
      }
    }
    if (d_shift != nullptr) add_to(dy, d_shift, rows.width);
    if (dx == nullptr) continue;
    const float mean_given = sum_of(given, rows.width) / width;
    const float mean_along = dot(given, normal, rows.width) / width;
    float* to = dx + row * rows.width;
    for (std::size_t i = 0; i < rows.width; ++i) {
      to[i] += factor * (given[i] - mean_given - normal[i] * mean_along);
    }
  }
}

std::int64_t two_for_each_row(std::span<const Shape> inputs, const Shape&,
                              const Attributes&) {
  return 2 * inputs[0].element_count() / inputs[0].from_back(0);
}

std::int64_t two_rows(std::span<const Shape> inputs, const Shape&,
                      const Attributes&) {
  return 2 * inputs[0].from_back(0);
}

// numbers: epsilon, momentum.
Shape batch_norm_shape(const Operation&, std::span<const Shape> inputs,
                       const Attributes&) {
  const Shape& x = inputs[0];
  if (x.rank() < 2) {
    throw_invalid_shape("batch_norm", x,
                        "the first two axes must be batch and channels");
  }
  for (const Shape& each : inputs.subspan(1, 4)) {
    if (!(each == Shape{x[1]})) {
      throw_shape_mismatch("batch_norm", x, each,
                           "scale, shift and the running statistics must have "
                           "one element per channel (axis 1)");
    }
  }
  if (inputs[5].element_count() != 1) {
    throw_shape_mismatch("batch_norm", x, inputs[5],
                         "the training flag must be one number, 1 or 0");
  }
  return x;
}

// The elements of one channel: one contiguous run in each sample.
struct Channel {
  Channel(const Shape& shape, std::int64_t channel)
      : batch(shape[0]),
        step(shape.element_count() / std::max<std::int64_t>(shape[0], 1)),
        length(static_cast<std::size_t>(step / shape[1])),
        first(channel * static_cast<std::int64_t>(length)),
        count(static_cast<double>(batch) * static_cast<double>(length)) {}

  // Calls each(first element, length) for each run.
  template <class F>
  void for_each_run(F&& each) const {
    for (std::int64_t n = 0; n < batch; ++n) each(first + n * step, length);
  }

  std::int64_t batch;
  std::int64_t step;
  std::size_t length;
  std::int64_t first;
  double count;
};

// Avoids the call to the vector kernel for short runs. In a tensor [batch,
// channels] every run is a single element.
double short_sum(const float* x, std::size_t count) {
  if (count > 8) return sum_of(x, count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i];
  return sum;
}

struct Statistics {
  double mean = 0;
  double variance = 0;
};

// Two passes: subtracting the mean first keeps the variance accurate when the
// mean is large. Sums over runs are in double.
Statistics compute_statistics(const Channel& channel, const float* x) {
  double sum = 0;
  channel.for_each_run([&](std::int64_t at, std::size_t length) {
    sum += short_sum(x + at, length);
  });
  const double mean = sum / channel.count;
  const auto centre = static_cast<float>(mean);
  double squares = 0;
  channel.for_each_run([&](std::int64_t at, std::size_t length) {
    float of_run = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const float distance = x[at + static_cast<std::int64_t>(i)] - centre;
      of_run += distance * distance;
    }
    squares += of_run;
  });
  return {mean, squares / channel.count};
}

void move_towards(float& running, double value, float momentum) {
  running = static_cast<float>((1 - momentum) * running + momentum * value);
}

// Saves the mean and 1 / deviation of each channel. In training it also updates
// inputs 3 and 4, the running statistics, which are leaves (`updated_inputs`).
// Like PyTorch, it tracks the unbiased variance but normalizes with the biased
// one.
void batch_norm_value(const ValueCall& call) {
  const Shape& shape = *call.output.shape;
  const float* x = call.inputs[0].data;
  auto* running_mean = const_cast<float*>(call.inputs[3].data);
  auto* running_variance = const_cast<float*>(call.inputs[4].data);
  const bool is_training = is_on(call.inputs[5]);
  const auto [epsilon, momentum] = call.attributes->numbers;
  for (std::int64_t c = 0; c < shape[1]; ++c) {
    const Channel channel(shape, c);
    Statistics statistics = {running_mean[c], running_variance[c]};
    if (is_training) {
      if (channel.count < 2) {
        throw_invalid_shape("batch_norm", shape,
                            "training needs at least two elements per "
                            "channel; use a larger batch");
      }
      statistics = compute_statistics(channel, x);
      const double unbiased =
          statistics.variance * channel.count / (channel.count - 1);
      if (call.updates_inputs) {
        move_towards(running_mean[c], statistics.mean, momentum);
        move_towards(running_variance[c], unbiased, momentum);
      }
    }
    const double deviation = std::sqrt(statistics.variance + double{epsilon});
    call.saved[2 * c] = static_cast<float>(statistics.mean);
    call.saved[2 * c + 1] = static_cast<float>(1 / deviation);
    const float mean = call.saved[2 * c];
    const float factor = call.inputs[1].data[c] * call.saved[2 * c + 1];
    const float shift = call.inputs[2].data[c];
    channel.for_each_run([&](std::int64_t at, std::size_t length) {
      const float* from = x + at;
      float* to = call.output.data + at;
      for (std::size_t i = 0; i < length; ++i) {
        to[i] = (from[i] - mean) * factor + shift;
      }
    });
  }
}

// Like layer_norm, but over a channel. In evaluation the statistics are
// constants, so the two mean terms vanish.
void batch_norm_gradient(const GradientCall& call) {
  const Shape& shape = *call.output.shape;
  const bool is_training = is_on(call.inputs[5]);
  float* dx = cleared_gradient(call, 0);
  float* d_scale = cleared_gradient(call, 1);
  float* d_shift = cleared_gradient(call, 2);
  for (std::int64_t c = 0; c < shape[1]; ++c) {
    const Channel channel(shape, c);
    const float mean = call.saved[2 * c];
    const float factor = call.saved[2 * c + 1];
    double sum = 0;
    double along = 0;
    channel.for_each_run([&](std::int64_t at, std::size_t length) {
      const float* x = call.inputs[0].data + at;
      const float* dy = call.output_gradient + at;
      sum += short_sum(dy, length);
      float of_run = 0;
      for (std::size_t i = 0; i < length; ++i) of_run += dy[i] * (x[i] - mean);
      along += of_run;
    });
    along *= factor;
    if (d_scale != nullptr) d_scale[c] += static_cast<float>(along);
    if (d_shift != nullptr) d_shift[c] += static_cast<float>(sum);
    if (dx == nullptr) continue;
    const float scale_by = call.inputs[1].data[c] * factor;
    const float mean_given =
        is_training ? static_cast<float>(sum / channel.count) : 0;
    const float slope =
        is_training ? static_cast<float>(along / channel.count) * factor : 0;
    channel.for_each_run([&](std::int64_t at, std::size_t length) {
      const float* x = call.inputs[0].data + at;
      const float* dy = call.output_gradient + at;
      float* to = dx + at;
      for (std::size_t i = 0; i < length; ++i) {
        to[i] += scale_by * (dy[i] - mean_given - (x[i] - mean) * slope);
      }
    });
  }
}

std::int64_t two_for_each_channel(std::span<const Shape> inputs, const Shape&,
                                  const Attributes&) {
  return 2 * inputs[0][1];
}

}  // namespace

std::vector<Operation> norm_operations() {
  return {
      {.name = "layer_norm",
       .what = "rows normalized to mean 0 and deviation 1, times b, plus c",
       .min_inputs = 3,
       .max_inputs = 3,
       .shape = layer_norm_shape,
       .value = layer_norm_value,
       .gradient = layer_norm_gradient,
       .saved_size = two_for_each_row,
       .scratch_size = two_rows,
       .gradient_reads_output = false,
       .onnx = "LayerNormalization(a, b, c; axis=-1, epsilon=p0)",
       .samples = {{{{3, 5}, {5}, {5}}, {.numbers = {1e-5f}}},
                   {{{2, 2, 9}, {9}, {9}}, {.numbers = {1e-2f}}}}},
      // The flag is sampled like the other inputs: it is on above 0.5.
      {.name = "batch_norm",
       .what = "channels normalized to mean 0 and deviation 1, times b, plus c",
       .min_inputs = 6,
       .max_inputs = 6,
       .shape = batch_norm_shape,
       .value = batch_norm_value,
       .gradient = batch_norm_gradient,
       .saved_size = two_for_each_channel,
       .gradient_reads_output = false,
       .updated_inputs = 1u << 3 | 1u << 4,
       .differentiable_inputs = 3,
       // Evaluation mode.
       .onnx = "BatchNormalization(a, b, c, d, e; epsilon=p0)",
       .samples = {{{{3, 2, 2, 2}, {2}, {2}, {2}, {2}, {}},
                    {.numbers = {1e-5f, 0.1f}},
                    0.6f,
                    3},
                   {{{6, 3}, {3}, {3}, {3}, {3}, {}},
                    {.numbers = {1e-5f, 0.1f}},
                    0.6f,
                    3},
                   {{{3, 2, 2}, {2}, {2}, {2}, {2}, {}},
                    {.numbers = {1e-5f, 0.1f}},
                    0.1f,
                    0.5f}}},
  };
}

}  // namespace lamarck
