// Operations that slice, join, gather and rearrange elements without changing
// them, and the sum of several tensors.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/graph/internal/onnx_expression.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/reductions.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

void copy_or_add(const float* from, float* to, std::int64_t count,
                 bool accumulate) {
  if (accumulate) {
    add_to(from, to, static_cast<std::size_t>(count));
  } else {
    std::copy_n(from, count, to);
  }
}

// The target is attributes.shape. If integers[0] is not 0, axis integers[0] - 1
// is inferred from the number of elements, so that other batch sizes fit.
Shape reshape_shape(const Operation&, std::span<const Shape> inputs,
                    const Attributes& attributes) {
  const Shape& wanted = attributes.shape;
  const std::int64_t inferred = attributes.integers[0];
  if (inferred == 0) {
    if (wanted.element_count() != inputs[0].element_count()) {
      throw_shape_mismatch("reshape", inputs[0], wanted,
                           "both must have the same number of elements");
    }
    return wanted;
  }
  if (inferred < 0 || inferred > static_cast<std::int64_t>(wanted.rank())) {
    throw_invalid_value("reshape",
                        fmt::format("the inferred axis must be an axis of "
                                    "shape {}, got {}",
                                    wanted.to_string(), inferred - 1));
  }
  const auto axis = static_cast<std::size_t>(inferred - 1);
  const std::int64_t rest = wanted.with(axis, 1).element_count();
  if (rest == 0 || inputs[0].element_count() % rest != 0) {
    throw_shape_mismatch("reshape", inputs[0], wanted,
                         "the number of elements must be divisible by the "
                         "product of the given sizes");
  }
  return wanted.with(axis, inputs[0].element_count() / rest);
}

std::string reshape_onnx(const NodeShapes&, const Attributes& attributes) {
  std::vector<std::int64_t> sizes(attributes.shape.begin(),
                                  attributes.shape.end());
  if (attributes.integers[0] > 0) {
    sizes[static_cast<std::size_t>(attributes.integers[0] - 1)] = -1;
  }
  return "Reshape(a, " + onnx_list(sizes) + ")";
}

Shape same_shape(const Operation&, std::span<const Shape> inputs,
                 const Attributes&) {
  return inputs[0];
}

void reshape_value(const ValueCall& call) {
  if (call.output.data == call.inputs[0].data) return;
  std::copy_n(call.inputs[0].data, call.output.shape->element_count(),
              call.output.data);
}

void reshape_gradient(const GradientCall& call) {
  if (call.input_gradients[0] == call.output_gradient) return;
  copy_or_add(call.output_gradient, call.input_gradients[0],
              call.output.shape->element_count(), call.accumulate[0]);
}

std::array<std::int64_t, 3> three_of(const Attributes& attributes) {
  const auto& integers = attributes.integers;
  return {integers[0], integers[1], integers[2]};
}

// integers: axis, begin, end. Negative numbers count from the end of the axis,
// and kToEnd is its end, so that the slice fits axes of any size.
AxisRange slice_range(const Shape& whole, const Attributes& attributes) {
  const auto [axis, begin, end] = three_of(attributes);
  return find_range(whole, whole.axis(axis, "slice"), begin, end, "slice");
}

Shape slice_shape(const Operation&, std::span<const Shape> inputs,
                  const Attributes& attributes) {
  const AxisRange range = slice_range(inputs[0], attributes);
  return inputs[0].with(inputs[0].axis(attributes.integers[0], "slice"),
                        range.end - range.begin);
}

// Calls row(offset in the whole, offset in the part, length) for each
// contiguous piece of the slice.
template <class F>
void for_each_slice_row(const Shape& whole, std::size_t axis,
                        std::int64_t begin, std::int64_t size, F&& row) {
  const AxisView view(whole, axis);
  for (std::int64_t i = 0; i < view.outer; ++i) {
    row((i * view.size + begin) * view.inner, i * size * view.inner,
        size * view.inner);
  }
}

void slice_value(const ValueCall& call) {
  const Shape& whole = *call.inputs[0].shape;
  const auto [begin, end] = slice_range(whole, *call.attributes);
  for_each_slice_row(
      whole, whole.axis(call.attributes->integers[0], "slice"), begin,
      end - begin, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
        std::copy_n(call.inputs[0].data + from, count, call.output.data + to);
      });
}

void slice_gradient(const GradientCall& call) {
  const Shape& whole = *call.inputs[0].shape;
  const auto [begin, end] = slice_range(whole, *call.attributes);
  float* dx = call.input_gradients[0];
  if (!call.accumulate[0]) std::fill_n(dx, whole.element_count(), 0.0f);
  for_each_slice_row(
      whole, whole.axis(call.attributes->integers[0], "slice"), begin,
      end - begin, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        add_to(call.output_gradient + from, dx + to,
               static_cast<std::size_t>(count));
      });
}

// integers: axis.
Shape concat_shape(const Operation&, std::span<const Shape> inputs,
                   const Attributes& attributes) {
  const std::size_t axis = inputs[0].axis(attributes.integers[0], "concat");
  std::int64_t total = 0;
  for (const Shape& shape : inputs) {
    if (shape.rank() != inputs[0].rank() ||
        !(shape.with(axis, 0) == inputs[0].with(axis, 0))) {
      throw_shape_mismatch("concat", inputs[0], shape,
                           "all other axes must be equal");
    }
    total += shape[axis];
  }
  return inputs[0].with(axis, total);
}

void concat_value(const ValueCall& call) {
  const Shape& whole = *call.output.shape;
  const std::size_t axis = whole.axis(call.attributes->integers[0], "concat");
  std::int64_t begin = 0;
  for (const ConstView& input : call.inputs) {
    const std::int64_t size = (*input.shape)[axis];
    for_each_slice_row(
        whole, axis, begin, size,
        [&](std::int64_t to, std::int64_t from, std::int64_t count) {
          std::copy_n(input.data + from, count, call.output.data + to);
        });
    begin += size;
  }
}

void concat_gradient(const GradientCall& call) {
  const Shape& whole = *call.output.shape;
  const std::size_t axis = whole.axis(call.attributes->integers[0], "concat");
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const std::int64_t size = (*call.inputs[i].shape)[axis];
    if (call.input_gradients[i] != nullptr) {
      for_each_slice_row(
          whole, axis, begin, size,
          [&](std::int64_t from, std::int64_t to, std::int64_t count) {
            copy_or_add(call.output_gradient + from,
                        call.input_gradients[i] + to, count,
                        call.accumulate[i]);
          });
    }
    begin += size;
  }
}

Shape total_shape(const Operation&, std::span<const Shape> inputs,
                  const Attributes&) {
  for (const Shape& shape : inputs) {
    if (!(shape == inputs[0])) {
      throw_shape_mismatch("total", inputs[0], shape,
                           "all must have the same shape");
    }
  }
  return inputs[0];
}

void total_value(const ValueCall& call) {
  const std::int64_t count = call.output.shape->element_count();
  std::copy_n(call.inputs[0].data, count, call.output.data);
  for (const ConstView& input : call.inputs.subspan(1)) {
    add_to(input.data, call.output.data, static_cast<std::size_t>(count));
  }
}

void total_gradient(const GradientCall& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.input_gradients[i] == nullptr) continue;
    copy_or_add(call.output_gradient, call.input_gradients[i],
                call.output.shape->element_count(), call.accumulate[i]);
  }
}

// integers: the axis. The second input holds indices along that axis; the
// output has the selected element in place of each index. Both inputs have the
// same shape except along that axis.
Shape gather_shape(const Operation&, std::span<const Shape> inputs,
                   const Attributes& attributes) {
  const std::size_t axis = inputs[0].axis(attributes.integers[0], "gather");
  if (inputs[1].rank() != inputs[0].rank() ||
      !(inputs[1].with(axis, 0) == inputs[0].with(axis, 0))) {
    throw_shape_mismatch("gather", inputs[0], inputs[1],
                         "all other axes must be equal");
  }
  return inputs[1];
}

// Calls pick(offset in the source, offset in the output) for each index.
// Indices are data, so they are checked at run time.
template <class F>
void for_each_pick(const ConstView& source, const ConstView& indices,
                   std::size_t axis, F&& pick) {
  const AxisView from(*source.shape, axis);
  const AxisView to(*indices.shape, axis);
  for (std::int64_t o = 0; o < to.outer; ++o) {
    for (std::int64_t i = 0; i < to.size; ++i) {
      for (std::int64_t j = 0; j < to.inner; ++j) {
        const std::int64_t at = (o * to.size + i) * to.inner + j;
        const float wanted = indices.data[at];
        // Written so that NaN fails the check.
        if (!(wanted >= 0 && wanted < static_cast<float>(from.size)) ||
            wanted != std::floor(wanted)) {
          throw_invalid_value(
              "gather",
              fmt::format("indices along axis {} of shape {} must be integers, "
                          "at least 0 and less than {}, got {}",
                          axis, source.shape->to_string(), from.size, wanted));
        }
        const auto index = static_cast<std::int64_t>(wanted);
        pick((o * from.size + index) * from.inner + j, at);
      }
    }
  }
}

void gather_value(const ValueCall& call) {
  const std::size_t axis =
      call.inputs[0].shape->axis(call.attributes->integers[0], "gather");
  for_each_pick(call.inputs[0], call.inputs[1], axis,
                [&](std::int64_t from, std::int64_t to) {
                  call.output.data[to] = call.inputs[0].data[from];
                });
}

void gather_gradient(const GradientCall& call) {
  const Shape& source = *call.inputs[0].shape;
  float* dx = call.input_gradients[0];
  if (!call.accumulate[0]) std::fill_n(dx, source.element_count(), 0.0f);
  for_each_pick(call.inputs[0], call.inputs[1],
                source.axis(call.attributes->integers[0], "gather"),
                [&](std::int64_t to, std::int64_t from) {
                  dx[to] += call.output_gradient[from];
                });
}

// integers: axis, elements before, elements after; numbers: the padding value.
Shape pad_shape(const Operation&, std::span<const Shape> inputs,
                const Attributes& attributes) {
  const auto [axis, before, after] = three_of(attributes);
  const std::size_t at = inputs[0].axis(axis, "pad");
  // Larger sums could overflow, and no machine has that much memory.
  constexpr std::int64_t kMax = std::int64_t{1} << 40;
  if (before < 0 || after < 0 || before > kMax || after > kMax) {
    throw_invalid_value(
        "pad", fmt::format("paddings must be between 0 and 2^40, got {} and {}",
                           before, after));
  }
  return inputs[0].with(at, inputs[0][at] + before + after);
}

std::string pad_onnx(const NodeShapes& shapes, const Attributes& attributes) {
  const auto [axis, before, after] = three_of(attributes);
  const std::size_t rank = shapes.inputs[0].rank();
  const std::size_t at = shapes.inputs[0].axis(axis, "pad");
  std::vector<std::int64_t> pads(2 * rank, 0);
  pads[at] = before;
  pads[rank + at] = after;
  return "Pad(a, " + onnx_list(pads) + ", p0)";
}

void pad_value(const ValueCall& call) {
  const auto [axis, before, after] = three_of(*call.attributes);
  const Shape& whole = *call.output.shape;
  const std::size_t at = whole.axis(axis, "pad");
  std::fill_n(call.output.data, whole.element_count(),
              call.attributes->numbers[0]);
  for_each_slice_row(
      whole, at, before, (*call.inputs[0].shape)[at],
      [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        std::copy_n(call.inputs[0].data + from, count, call.output.data + to);
      });
}

void pad_gradient(const GradientCall& call) {
  const auto [axis, before, after] = three_of(*call.attributes);
  const Shape& whole = *call.output.shape;
  const std::size_t at = whole.axis(axis, "pad");
  for_each_slice_row(
      whole, at, before, (*call.inputs[0].shape)[at],
      [&](std::int64_t from, std::int64_t to, std::int64_t count) {
        copy_or_add(call.output_gradient + from, call.input_gradients[0] + to,
                    count, call.accumulate[0]);
      });
}

}  // namespace

std::vector<Operation> shape_operations() {
  return {
      {.name = "reshape",
       .what = "the same elements in another shape",
       .shape = reshape_shape,
       .value = reshape_value,
       .gradient = reshape_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .in_place = true,
       .is_view = true,
       .write_onnx = reshape_onnx,
       .samples = {{{{3, 4}}, {.shape = {2, 6}}},
                   {{{4, 2, 3}}, {.integers = {1}, .shape = {0, 6}}}}},
      {.name = "slice",
       .what = "a range of one axis",
       .shape = slice_shape,
       .value = slice_value,
       .gradient = slice_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .onnx = "Slice(a, [i1], [i2], [i0])",
       .samples = {{{{3, 5}}, {.integers = {1, 1, 4}}},
                   {{{4, 2, 2}}, {.integers = {0, 0, 2}}},
                   {{{4, 3}}, {.integers = {-1, -2, kToEnd}}}}},
      {.name = "detached",
       .what = "the same value; no gradient passes through",
       .shape = same_shape,
       .value = reshape_value,
       .in_place = true,
       .is_view = true,
       .onnx = "Identity(a)",
       .samples = {{{{3, 4}}, {}}, {{{}}, {}}}},
      {.name = "concat",
       .what = "the inputs joined along an axis",
       .min_inputs = 1,
       .max_inputs = 1'000'000,
       .shape = concat_shape,
       .value = concat_value,
       .gradient = concat_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .onnx = "Concat(*; axis=i0)",
       .samples = {{{{2, 3}, {2, 1}, {2, 2}}, {.integers = {1}}},
                   {{{1, 3}, {2, 3}}, {.integers = {0}}}}},
      {.name = "total",
       .what = "the elementwise sum of inputs of equal shape",
       .min_inputs = 1,
       .max_inputs = 1'000'000,
       .shape = total_shape,
       .value = total_value,
       .gradient = total_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .onnx = "Sum(*)",
       .samples = {{{{2, 3}, {2, 3}, {2, 3}}, {}}, {{{4}}, {}}}},
      {.name = "gather",
       .what = "the elements of a at the indices b along an axis",
       .min_inputs = 2,
       .max_inputs = 2,
       .shape = gather_shape,
       .value = gather_value,
       .gradient = gather_gradient,
       .gradient_reads_output = false,
       .differentiable_inputs = 1,
       .onnx = "GatherElements(a, Cast(b; to=7); axis=i0)",
       .samples = {{{{3, 4}, {3, 2}}, {.integers = {1}}, 0, 4, true},
                   {{{3, 4}, {5, 4}}, {.integers = {0}}, 0, 3, true}}},
      {.name = "pad",
       .what = "a constant added before and after one axis",
       .shape = pad_shape,
       .value = pad_value,
       .gradient = pad_gradient,
       .gradient_reads_inputs = false,
       .gradient_reads_output = false,
       .write_onnx = pad_onnx,
       .samples = {{{{3, 4}}, {.numbers = {0.5f}, .integers = {1, 2, 1}}},
                   {{{2, 3}}, {.integers = {0, 0, 3}}}}},
  };
}

}  // namespace lamarck
