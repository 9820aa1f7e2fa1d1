// Lookup of matrix rows by index.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/graph/internal/cleared_gradient.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

Shape embedding_shape(const Operation&, std::span<const Shape> inputs,
                      const Attributes&) {
  if (inputs[0].rank() != 2) {
    throw_invalid_shape("embedding", inputs[0],
                        "the weight must be a matrix with one row per index");
  }
  return inputs[1].with_inserted(inputs[1].rank(), inputs[0][1]);
}

// Calls each(offset of the row in the weight, offset in the output) for each
// index. Indices are data, so they are checked at run time.
template <class F>
void for_each_embedded(std::span<const ConstView> inputs, F&& each) {
  const Shape& weight = *inputs[0].shape;
  for (std::int64_t i = 0; i < inputs[1].shape->element_count(); ++i) {
    const float index = inputs[1].data[i];
    // Written so that NaN fails the check.
    if (!(index >= 0) || !(index < static_cast<float>(weight[0])) ||
        index != std::floor(index)) {
      throw_invalid_value(
          "embedding",
          fmt::format("indices must be integers, at least 0 and less than {}, "
                      "the number of rows of the weight, got {}",
                      weight[0], index));
    }
    each(static_cast<std::int64_t>(index) * weight[1], i * weight[1]);
  }
}

void embedding_value(const ValueCall& call) {
  const std::int64_t width = (*call.inputs[0].shape)[1];
  for_each_embedded(call.inputs, [&](std::int64_t from, std::int64_t to) {
    std::copy_n(call.inputs[0].data + from, width, call.output.data + to);
  });
}

void embedding_gradient(const GradientCall& call) {
  const auto width = static_cast<std::size_t>((*call.inputs[0].shape)[1]);
  float* dw = cleared_gradient(call, 0);
  for_each_embedded(call.inputs, [&](std::int64_t to, std::int64_t from) {
    add_to(call.output_gradient + from, dw + to, width);
  });
}

}  // namespace

std::vector<Operation> embedding_operations() {
  return {
      {.name = "embedding",
       .what = "the rows of a at the indices b",
       .min_inputs = 2,
       .max_inputs = 2,
       .shape = embedding_shape,
       .value = embedding_value,
       .gradient = embedding_gradient,
       .gradient_reads_output = false,
       .differentiable_inputs = 1,
       .onnx = "Gather(a, Cast(b; to=7); axis=0)",
       .samples = {{{{4, 3}, {5}}, {}, 0, 4, true},
                   {{{3, 2}, {2, 4}}, {}, 0, 3, true},
                   {{{2, 2}, {}}, {}, 0, 2, true}}},
  };
}

}  // namespace lamarck
