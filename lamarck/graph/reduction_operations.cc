// Sums, means and extremes, along one axis or over all elements.

#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/reductions.h"

namespace lamarck {
namespace {

// integers: the axis; 1 to reduce that axis or 0 to reduce all axes; 1 to keep
// the axis with size 1.
bool is_over_one_axis(const Attributes& attributes) {
  return attributes.integers[1] != 0;
}

bool keeps_axis(const Attributes& attributes) {
  return attributes.integers[2] != 0;
}

AxisView make_view(const Shape& shape, const Attributes& attributes) {
  return is_over_one_axis(attributes)
             ? AxisView(shape, shape.axis(attributes.integers[0], "reduce"))
             : AxisView(shape);
}

Shape reduced_shape(const Operation& operation, std::span<const Shape> inputs,
                    const Attributes& attributes) {
  const bool is_sum = operation.name == "sum" || operation.name == "mean";
  if (!is_sum && make_view(inputs[0], attributes).size == 0) {
    throw_invalid_shape(operation.name, inputs[0],
                        "an extreme of zero elements is undefined");
  }
  if (!is_over_one_axis(attributes)) return {};
  const std::size_t axis =
      inputs[0].axis(attributes.integers[0], operation.name);
  return keeps_axis(attributes) ? inputs[0].with(axis, 1)
                                : inputs[0].without(axis);
}

template <Reduction R>
void reduction_value(const ValueCall& call) {
  reduce(R, make_view(*call.inputs[0].shape, *call.attributes),
         call.inputs[0].data, call.output.data);
}

template <Reduction R>
void reduction_gradient(const GradientCall& call) {
  reduce_gradient(R, make_view(*call.inputs[0].shape, *call.attributes),
                  call.inputs[0].data, call.output.data, call.output_gradient,
                  call.input_gradients[0], call.accumulate[0]);
}

void argmax_value(const ValueCall& call) {
  argmax(make_view(*call.inputs[0].shape, *call.attributes),
         call.inputs[0].data, call.output.data);
}

std::vector<OperationSample> samples() {
  return {{{{3, 4}}, {}},
          {{{3, 4}}, {.integers = {0, 1}}},
          {{{2, 3, 2}}, {.integers = {-2, 1}}},
          {{{2, 3, 2}}, {.integers = {1, 1, 1}}},
          {{{5}}, {.integers = {0, 1}}}};
}

template <Reduction R>
std::string reduction_onnx(const NodeShapes&, const Attributes& attributes) {
  const bool has_axis = is_over_one_axis(attributes);
  // In opset 17, ReduceSum takes its axes as an input, the others as an
  // attribute.
  if (R == Reduction::Sum) {
    return has_axis ? "ReduceSum(a, [i0]; keepdims=i2)"
                    : "ReduceSum(a; keepdims=0)";
  }
  const std::string name = R == Reduction::Mean  ? "ReduceMean"
                           : R == Reduction::Max ? "ReduceMax"
                                                 : "ReduceMin";
  return name + (has_axis ? "(a; axes=[i0], keepdims=i2)" : "(a; keepdims=0)");
}

// ArgMax needs an axis, so over all elements the tensor is flattened first.
std::string argmax_onnx(const NodeShapes&, const Attributes& attributes) {
  return is_over_one_axis(attributes)
             ? "Cast(ArgMax(a; axis=i0, keepdims=i2); to=1)"
             : "Cast(ArgMax(Reshape(a, [-1]); axis=0, keepdims=0); to=1)";
}

template <Reduction R>
Operation row(std::string_view name, std::string_view what) {
  constexpr bool kIsExtreme = R == Reduction::Max || R == Reduction::Min;
  return {.name = name,
          .what = what,
          .shape = reduced_shape,
          .value = reduction_value<R>,
          .gradient = reduction_gradient<R>,
          .gradient_reads_inputs = kIsExtreme,
          .gradient_reads_output = kIsExtreme,
          .write_onnx = reduction_onnx<R>,
          .samples = samples()};
}

}  // namespace

std::vector<Operation> reduction_operations() {
  return {
      row<Reduction::Sum>("sum", "the sum of all elements or along one axis"),
      row<Reduction::Mean>("mean",
                           "the mean of all elements or along one axis"),
      row<Reduction::Max>("max",
                          "the maximum of all elements or along one axis"),
      row<Reduction::Min>("min",
                          "the minimum of all elements or along one axis"),
      Operation{.name = "argmax",
                .what = "the index of the largest element",
                .shape = reduced_shape,
                .value = argmax_value,
                .write_onnx = argmax_onnx,
                .samples = samples()}};
}

}  // namespace lamarck
