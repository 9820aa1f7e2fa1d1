// Matrix products, transposition and permutation of axes.

#include <algorithm>

#include "lamarck/graph/internal/onnx_expression.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/reductions.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

Shape product_shape(const Operation&, std::span<const Shape> inputs,
                    const Attributes&) {
  return matmul_shape(inputs[0], inputs[1]);
}

Shape without_matrix(const Shape& shape) {
  return Shape(shape.sizes().first(shape.rank() - 2));
}

// The matrix products that a call consists of: one for each index of the
// leading axes, or a single one if the right side is one matrix. In that case
// the leading axes of the left side are simply more rows.
struct Products {
  explicit Products(std::span<const ConstView> inputs) {
    const Shape& a = *inputs[0].shape;
    const Shape& b = *inputs[1].shape;
    each = {.m = a.from_back(1), .n = b.from_back(0), .k = a.from_back(0)};
    const Shape left = without_matrix(a);
    const Shape right = without_matrix(b);
    if (b.rank() == 2) {
      each.m *= left.element_count();
      return;
    }
    batch = broadcast_shape(left, right, "matmul");
    left_steps = broadcast_strides(left, batch);
    right_steps = broadcast_strides(right, batch);
    left_repeats = left.element_count() != batch.element_count();
    right_repeats = right.element_count() != batch.element_count();
  }

  // Calls call(a, b, c) with the offsets of the matrices of each product.
  template <class F>
  void for_each(F&& call) const {
    for (std::int64_t i = 0; i < batch.element_count(); ++i) {
      std::int64_t rest = i;
      std::int64_t at_a = 0;
      std::int64_t at_b = 0;
      for (std::size_t axis = batch.rank(); axis-- > 0;) {
        at_a += rest % batch[axis] * left_steps[axis];
        at_b += rest % batch[axis] * right_steps[axis];
        rest /= batch[axis];
      }
      call(at_a * each.m * each.k, at_b * each.k * each.n, i * each.m * each.n);
    }
  }

  Gemm each;
  Shape batch;
  std::array<std::int64_t, Shape::kMaxRank> left_steps{};
  std::array<std::int64_t, Shape::kMaxRank> right_steps{};
  bool left_repeats = false;  // One matrix of A meets several matrices of B.
  bool right_repeats = false;
};

void product_value(const ValueCall& call) {
  const Products products(call.inputs);
  products.for_each([&](std::int64_t a, std::int64_t b, std::int64_t c) {
    gemm(products.each, call.inputs[0].data + a, call.inputs[1].data + b,
         call.output.data + c);
  });
}

// Whether the products add to the gradient of an input. A matrix that was
// broadcast gets several contributions, so its gradient is cleared first and
// then always added to.
bool accumulates(const GradientCall& call, std::size_t input, bool repeats) {
  if (repeats && !call.accumulate[input]) {
    std::fill_n(call.input_gradients[input],
                call.inputs[input].shape->element_count(), 0.0f);
  }
  return repeats || call.accumulate[input];
}

void product_gradient(const GradientCall& call) {
  const Products products(call.inputs);
  const Gemm& forward = products.each;
  if (call.input_gradients[0] != nullptr) {  // dA = dY B^T
    const Gemm left = {
        .m = forward.m,
        .n = forward.k,
        .k = forward.n,
        .transpose_b = true,
        .accumulate = accumulates(call, 0, products.left_repeats)};
    products.for_each([&](std::int64_t a, std::int64_t b, std::int64_t c) {
      gemm(left, call.output_gradient + c, call.inputs[1].data + b,
           call.input_gradients[0] + a);
    });
  }
  if (call.input_gradients[1] != nullptr) {  // dB = A^T dY
    const Gemm right = {
        .m = forward.k,
        .n = forward.n,
        .k = forward.m,
        .transpose_a = true,
        .accumulate = accumulates(call, 1, products.right_repeats)};
    products.for_each([&](std::int64_t a, std::int64_t b, std::int64_t c) {
      gemm(right, call.inputs[0].data + a, call.output_gradient + c,
           call.input_gradients[1] + b);
    });
  }
}

Shape transpose_shape(const Operation&, std::span<const Shape> inputs,
                      const Attributes&) {
  if (inputs[0].rank() != 2) {
    throw_invalid_shape("transpose", inputs[0],
                        "transpose needs a matrix; use permute for more axes");
  }
  return {inputs[0][1], inputs[0][0]};
}

// to[j][i] (+)= from[i][j]
void transpose(const float* from, std::int64_t rows, std::int64_t columns,
               float* to, bool accumulate) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      float& place = to[j * rows + i];
      const float value = from[i * columns + j];
      place = accumulate ? place + value : value;
    }
  }
}

void transpose_value(const ValueCall& call) {
  const Shape& shape = *call.inputs[0].shape;
  transpose(call.inputs[0].data, shape[0], shape[1], call.output.data, false);
}

void transpose_gradient(const GradientCall& call) {
  const Shape& shape = *call.output.shape;
  transpose(call.output_gradient, shape[0], shape[1], call.input_gradients[0],
            call.accumulate[0]);
}

// integers: for each axis of the output, the axis of the input.
Shape permute_shape(const Operation&, std::span<const Shape> inputs,
                    const Attributes& attributes) {
  const Shape& x = inputs[0];
  Shape shape = x;
  std::array<bool, Shape::kMaxRank> is_taken{};
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const std::size_t axis = x.axis(attributes.integers[i], "permute");
    if (is_taken[axis]) {
      throw_invalid_value("permute",
                          "each axis must be listed once, got axis " +
                              std::to_string(axis) + " twice");
    }
    is_taken[axis] = true;
    shape = shape.with(i, x[axis]);
  }
  return shape;
}

// Calls each(offset in the input, offset in the output) for every element.
// Walks the output in order and updates the input offset like an odometer,
// which avoids a division per axis and element.
template <class F>
void for_each_permuted(const Shape& input, const Shape& output,
                       const Attributes& attributes, F&& each) {
  if (output.element_count() == 0) return;
  std::array<std::int64_t, Shape::kMaxRank> input_steps{};
  std::int64_t step = 1;
  for (std::size_t axis = input.rank(); axis-- > 0;) {
    input_steps[axis] = step;
    step *= input[axis];
  }
  std::array<std::int64_t, Shape::kMaxRank> steps{};
  for (std::size_t i = 0; i < output.rank(); ++i) {
    steps[i] = input_steps[input.axis(attributes.integers[i], "permute")];
  }
  std::array<std::int64_t, Shape::kMaxRank> place{};
  std::int64_t from = 0;
  for (std::int64_t to = 0; to < output.element_count(); ++to) {
    each(from, to);
    for (std::size_t axis = output.rank(); axis-- > 0;) {
      from += steps[axis];
      if (++place[axis] < output[axis]) break;
      from -= steps[axis] * output[axis];
      place[axis] = 0;
    }
  }
}

void permute_value(const ValueCall& call) {
  for_each_permuted(*call.inputs[0].shape, *call.output.shape, *call.attributes,
                    [&](std::int64_t from, std::int64_t to) {
                      call.output.data[to] = call.inputs[0].data[from];
                    });
}

void permute_gradient(const GradientCall& call) {
  float* dx = call.input_gradients[0];
  const bool accumulate = call.accumulate[0];
  for_each_permuted(*call.inputs[0].shape, *call.output.shape, *call.attributes,
                    [&](std::int64_t to, std::int64_t from) {
                      const float given = call.output_gradient[from];
                      dx[to] = accumulate ? dx[to] + given : given;
                    });
}

std::string permute_onnx(const NodeShapes& shapes,
                         const Attributes& attributes) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < shapes.output.rank(); ++i) {
    const std::size_t axis =
        shapes.output.axis(attributes.integers[i], "permute");
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  return "Transpose(a; perm=" + onnx_list(axes) + ")";
}

}  // namespace

std::vector<Operation> matrix_operations() {
  return {
      {.name = "matmul",
       .what = "matrix product along the last two axes; leading axes broadcast",
       .min_inputs = 2,
       .max_inputs = 2,
       .shape = product_shape,
       .value = product_value,
       .gradient = product_gradient,
       .gradient_reads_output = false,
       .onnx = "MatMul(a, b)",
       .samples = {{{{3, 4}, {4, 5}}, {}},
                   {{{1, 1}, {1, 1}}, {}},
                   {{{2, 3, 4}, {4, 2}}, {}},
                   {{{2, 3, 4}, {2, 4, 2}}, {}},
                   {{{2, 1, 3, 2}, {3, 2, 2}}, {}},
                   {{{3, 2}, {2, 2, 4}}, {}}}},
      {.name = "transpose",
       .what = "a matrix with rows and columns swapped",
       .shape = transpose_shape,
       .value = transpose_value,
       .gradient = transpose_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .onnx = "Transpose(a; perm=[1, 0])",
       .samples = {{{{3, 4}}, {}}}},
      {.name = "permute",
       .what = "the axes in a different order",
       .shape = permute_shape,
       .value = permute_value,
       .gradient = permute_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .write_onnx = permute_onnx,
       .samples = {{{{2, 3, 4}}, {.integers = {2, 0, 1}}},
                   {{{2, 3, 1, 2}}, {.integers = {0, 2, 1, 3}}},
                   {{{3, 2}}, {.integers = {-1, 0}}}}},
  };
}

}  // namespace lamarck
