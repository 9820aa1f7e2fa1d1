// Softmax, its logarithm, and cross entropy, accurate for logits of any size.

#include <algorithm>
#include <cmath>
#include <string>

#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/reductions.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

Shape rows_shape(const Operation& operation, std::span<const Shape> inputs,
                 const Attributes&) {
  if (inputs[0].rank() == 0 || inputs[0].from_back(0) == 0) {
    throw_invalid_shape(operation.name, inputs[0],
                        "the last axis holds the classes and must not be "
                        "empty");
  }
  return inputs[0];
}

// Calls row(offset, size) for each row along the last axis.
template <class F>
void for_each_row(const Shape& shape, F&& row) {
  const std::int64_t size = shape.from_back(0);
  for (std::int64_t at = 0; at < shape.element_count(); at += size) {
    row(at, static_cast<std::size_t>(size));
  }
}

// log(sum(exp(x))) in two parts, `largest + rest`. Adding them would round off
// `rest` when logits are large; callers subtract `largest` from x first.
struct LogSum {
  float largest = 0;
  float rest = 0;
};

// y = softmax(x). Subtracting the maximum keeps exp from overflowing.
LogSum softmax_row(const float* x, float* y, std::size_t size) {
  const float largest = max_of(x, size);
  const float sum = exp_shifted(x, largest, y, size);
  scale(1 / sum, y, y, size);
  return {largest, std::log(sum)};
}

// integers: the axis, then 1; all 0 for the last axis.
AxisView softmax_view(const Shape& shape, const Attributes& attributes) {
  const std::int64_t axis =
      attributes.integers[1] != 0 ? attributes.integers[0] : -1;
  return {shape, shape.axis(axis, "softmax")};
}

Shape softmax_shape(const Operation& operation, std::span<const Shape> inputs,
                    const Attributes& attributes) {
  if (inputs[0].rank() == 0 || softmax_view(inputs[0], attributes).size == 0) {
    throw_invalid_shape(operation.name, inputs[0],
                        "the axis of the classes must not be empty");
  }
  return inputs[0];
}

// Three lines along the axis, which are gathered for the kernels of rows.
std::int64_t softmax_scratch(std::span<const Shape> inputs, const Shape&,
                             const Attributes& attributes) {
  const AxisView view = softmax_view(inputs[0], attributes);
  return view.inner == 1 ? 0 : 3 * view.size;
}

// Calls line(offset, size, stride) for each line along the axis.
template <class F>
void for_each_line(const AxisView& view, F&& line) {
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t j = 0; j < view.inner; ++j) {
      line(o * view.size * view.inner + j, static_cast<std::size_t>(view.size),
           view.inner);
    }
  }
}

// The elements of a line side by side: the line itself if it is dense, else a
// copy in `scratch`.
const float* dense_line(const float* line, std::size_t size,
                        std::int64_t stride, float* scratch) {
  if (stride == 1) return line;
  for (std::size_t i = 0; i < size; ++i) {
    scratch[i] = line[static_cast<std::int64_t>(i) * stride];
  }
  return scratch;
}

void spread_line(const float* dense, std::size_t size, std::int64_t stride,
                 float* line) {
  if (dense == line) return;
  for (std::size_t i = 0; i < size; ++i) {
    line[static_cast<std::int64_t>(i) * stride] = dense[i];
  }
}

// Applies row(x, y, size) to each line along the axis.
template <class F>
void map_lines(const ValueCall& call, F&& row) {
  const AxisView view = softmax_view(*call.output.shape, *call.attributes);
  for_each_line(
      view, [&](std::int64_t at, std::size_t size, std::int64_t stride) {
        const float* x =
            dense_line(call.inputs[0].data + at, size, stride, call.scratch);
        float* line = call.output.data + at;
        float* y = stride == 1 ? line : call.scratch + size;
        row(x, y, size);
        spread_line(y, size, stride, line);
      });
}

// Calls given(y, dy, size, give) for each line, which passes the gradient of
// element i on with give(i, value).
template <class F>
void map_gradient_lines(const GradientCall& call, F&& given) {
  const AxisView view = softmax_view(*call.output.shape, *call.attributes);
  for_each_line(
      view, [&](std::int64_t at, std::size_t size, std::int64_t stride) {
        const float* y =
            dense_line(call.output.data + at, size, stride, call.scratch);
        const float* dy = dense_line(call.output_gradient + at, size, stride,
                                     call.scratch + size);
        float* dx = call.input_gradients[0] + at;
        given(y, dy, size, [&](std::size_t i, float value) {
          float& place = dx[static_cast<std::int64_t>(i) * stride];
          place = call.accumulate[0] ? place + value : value;
        });
      });
}

template <bool IsLog>
std::string softmax_onnx(const NodeShapes&, const Attributes& attributes) {
  const std::string name = IsLog ? "LogSoftmax" : "Softmax";
  return name + (attributes.integers[1] != 0 ? "(a; axis=i0)" : "(a; axis=-1)");
}

void softmax_value(const ValueCall& call) {
  map_lines(call, [](const float* x, float* y, std::size_t size) {
    softmax_row(x, y, size);
  });
}

// dx = y * (dy - sum(y * dy)).
void softmax_gradient(const GradientCall& call) {
  map_gradient_lines(call, [](const float* y, const float* dy, std::size_t size,
                              const auto& give) {
    const float mean = dot(y, dy, size);
    for (std::size_t i = 0; i < size; ++i) give(i, y[i] * (dy[i] - mean));
  });
}

void log_softmax_value(const ValueCall& call) {
  map_lines(call, [](const float* x, float* y, std::size_t size) {
    const auto [largest, rest] = softmax_row(x, y, size);
    for (std::size_t i = 0; i < size; ++i) y[i] = (x[i] - largest) - rest;
  });
}

// dx = dy - softmax(x) * sum(dy), where softmax(x) = exp(y).
void log_softmax_gradient(const GradientCall& call) {
  map_gradient_lines(call, [](const float* y, const float* dy, std::size_t size,
                              const auto& give) {
    const float sum = sum_of(dy, size);
    for (std::size_t i = 0; i < size; ++i) {
      give(i, dy[i] - std::exp(y[i]) * sum);
    }
  });
}

// Logits and target probabilities of equal shape; the result is the mean over
// the rows.
Shape cross_entropy_shape(const Operation& operation,
                          std::span<const Shape> inputs,
                          const Attributes& attributes) {
  rows_shape(operation, inputs, attributes);
  if (!(inputs[0] == inputs[1])) {
    throw_shape_mismatch("cross_entropy", inputs[0], inputs[1],
                         "targets must be probabilities in the shape of the "
                         "logits, such as one-hot rows");
  }
  if (inputs[0].element_count() == 0) {
    throw_invalid_shape("cross_entropy", inputs[0],
                        "the mean over an empty batch does not exist; skip "
                        "empty batches");
  }
  return {};
}

float distribution_count(const Shape& shape) {
  const std::int64_t rows = shape.element_count() / shape.from_back(0);
  return static_cast<float>(rows);
}

std::int64_t cross_entropy_saved(std::span<const Shape> inputs, const Shape&,
                                 const Attributes&) {
  return inputs[0].element_count();
}

// Saves the softmax, from which the gradient follows. Classes with a target of
// 0 are skipped, because 0 * infinity would be NaN.
void cross_entropy_value(const ValueCall& call) {
  const Shape& shape = *call.inputs[0].shape;
  double total = 0;
  for_each_row(shape, [&](std::int64_t at, std::size_t size) {
    const float* x = call.inputs[0].data + at;
    const float* target = call.inputs[1].data + at;
    const auto [largest, rest] = softmax_row(x, call.saved + at, size);
    for (std::size_t i = 0; i < size; ++i) {
      if (target[i] != 0) total += target[i] * ((largest - x[i]) + rest);
    }
  });
  call.output.data[0] = static_cast<float>(total) / distribution_count(shape);
}

// dx = (softmax(x) * sum(target) - target) / rows. The sum of the targets is 1
// for probabilities, but the formula holds for any weights.
void cross_entropy_gradient(const GradientCall& call) {
  const Shape& shape = *call.inputs[0].shape;
  const float factor = call.output_gradient[0] / distribution_count(shape);
  if (call.input_gradients[0] == nullptr) return;
  for_each_row(shape, [&](std::int64_t at, std::size_t size) {
    const float* share = call.saved + at;
    const float* target = call.inputs[1].data + at;
    float* dx = call.input_gradients[0] + at;
    const float weight = sum_of(target, size);
    for (std::size_t i = 0; i < size; ++i) {
      const float given = factor * (share[i] * weight - target[i]);
      dx[i] = call.accumulate[0] ? dx[i] + given : given;
    }
  });
}

}  // namespace

std::vector<Operation> softmax_operations() {
  return {
      {.name = "softmax",
       .what = "probabilities that sum to 1 along one axis",
       .shape = softmax_shape,
       .value = softmax_value,
       .gradient = softmax_gradient,
       .scratch_size = softmax_scratch,
       .gradient_reads_inputs = false,
       .write_onnx = softmax_onnx<false>,
       .samples = {{{{3, 4}}, {}},
                   {{{1}}, {}},
                   {{{2, 2, 9}}, {}},
                   {{{2, 3, 4}}, {.integers = {1, 1}}}}},
      {.name = "log_softmax",
       .what = "the logarithm of the softmax",
       .shape = softmax_shape,
       .value = log_softmax_value,
       .gradient = log_softmax_gradient,
       .scratch_size = softmax_scratch,
       .gradient_reads_inputs = false,
       .write_onnx = softmax_onnx<true>,
       .samples = {{{{3, 4}}, {}},
                   {{{17}}, {}},
                   {{{3, 4}}, {.integers = {0, 1}}}}},
      {.name = "cross_entropy",
       .what = "mean cross entropy of the logits a and probabilities b",
       .min_inputs = 2,
       .max_inputs = 2,
       .shape = cross_entropy_shape,
       .value = cross_entropy_value,
       .gradient = cross_entropy_gradient,
       .saved_size = cross_entropy_saved,
       .gradient_reads_output = false,
       .differentiable_inputs = 1,
       .onnx = "Neg(ReduceMean(ReduceSum(Mul(b, LogSoftmax(a; axis=-1)), [-1]; "
               "keepdims=0); keepdims=0))",
       .samples = {{{{3, 4}, {3, 4}}, {}, 0.1f, 1}}},
  };
}

}  // namespace lamarck
