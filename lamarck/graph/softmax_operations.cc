// Softmax, its logarithm, and cross entropy, accurate for logits of any size.

#include <algorithm>
#include <cmath>

#include "lamarck/graph/operation_table.h"
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

void softmax_value(const ValueCall& call) {
  for_each_row(*call.output.shape, [&](std::int64_t at, std::size_t size) {
    softmax_row(call.inputs[0].data + at, call.output.data + at, size);
  });
}

// dx = y * (dy - sum(y * dy)).
void softmax_gradient(const GradientCall& call) {
  for_each_row(*call.output.shape, [&](std::int64_t at, std::size_t size) {
    const float* y = call.output.data + at;
    const float* dy = call.output_gradient + at;
    float* dx = call.input_gradients[0] + at;
    const float mean = dot(y, dy, size);
    for (std::size_t i = 0; i < size; ++i) {
      const float given = y[i] * (dy[i] - mean);
      dx[i] = call.accumulate[0] ? dx[i] + given : given;
    }
  });
}

void log_softmax_value(const ValueCall& call) {
  for_each_row(*call.output.shape, [&](std::int64_t at, std::size_t size) {
    const float* x = call.inputs[0].data + at;
    float* y = call.output.data + at;
    const auto [largest, rest] = softmax_row(x, y, size);
    for (std::size_t i = 0; i < size; ++i) y[i] = (x[i] - largest) - rest;
  });
}

// dx = dy - softmax(x) * sum(dy), where softmax(x) = exp(y).
void log_softmax_gradient(const GradientCall& call) {
  for_each_row(*call.output.shape, [&](std::int64_t at, std::size_t size) {
    const float* y = call.output.data + at;
    const float* dy = call.output_gradient + at;
    float* dx = call.input_gradients[0] + at;
    const float sum = sum_of(dy, size);
    for (std::size_t i = 0; i < size; ++i) {
      const float given = dy[i] - std::exp(y[i]) * sum;
      dx[i] = call.accumulate[0] ? dx[i] + given : given;
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
       .what = "probabilities that sum to 1 along the last axis",
       .shape = rows_shape,
       .value = softmax_value,
       .gradient = softmax_gradient,
       .gradient_reads_inputs = false,
       .onnx = "Softmax(a; axis=-1)",
       .samples = {{{{3, 4}}, {}}, {{{1}}, {}}, {{{2, 2, 9}}, {}}}},
      {.name = "log_softmax",
       .what = "the logarithm of the softmax",
       .shape = rows_shape,
       .value = log_softmax_value,
       .gradient = log_softmax_gradient,
       .gradient_reads_inputs = false,
       .onnx = "LogSoftmax(a; axis=-1)",
       .samples = {{{{3, 4}}, {}}, {{{17}}, {}}}},
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
