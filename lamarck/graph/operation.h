// The definition of an operation: its name, shape rule, value and gradient side
// by side, and the samples that its tests use.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/shape.h"
#include "lamarck/tensor/unary_ops.h"

namespace lamarck {

// Settings of one node. Each operation documents which of them it reads.
struct Attributes {
  std::array<float, 2> numbers{};
  std::array<std::int64_t, 8> integers{};  // Such as axis, begin, end.
  Shape shape;                             // For reshape only.

  friend bool operator==(const Attributes&, const Attributes&) = default;
};

struct Operation;

// Dense elements with their shape. The plan owns both.
struct ConstView {
  const float* data = nullptr;
  const Shape* shape = nullptr;
};
struct View {
  float* data = nullptr;
  const Shape* shape = nullptr;
};

// The arguments of one node's computation, prepared once and used many times.
struct ValueCall {
  const Operation* operation = nullptr;
  const Attributes* attributes = nullptr;
  const BroadcastPlan* broadcast = nullptr;  // For binary operations.
  std::span<const ConstView> inputs;
  View output;
  float* saved = nullptr;    // Operation::saved_size floats for the gradient.
  float* scratch = nullptr;  // Operation::scratch_size floats, not kept.
  std::uint64_t run = 0;     // Differs in each pass; seeds random operations.
  // Whether Operation::updated_inputs are updated; false if that was done in
  // this pass before.
  bool updates_inputs = true;
};

// `input_gradients[i]` is null if nothing needs it. Otherwise the operation
// adds its gradient there if `accumulate[i]`, and else overwrites what is
// there.
struct GradientCall {
  const Operation* operation = nullptr;
  const Attributes* attributes = nullptr;
  const BroadcastPlan* broadcast = nullptr;
  std::span<const ConstView> inputs;
  ConstView output;
  const float* output_gradient = nullptr;
  std::span<float* const> input_gradients;
  std::span<const bool> accumulate;
  const float* saved = nullptr;  // As the value computation left it.
  float* scratch = nullptr;
  std::uint64_t run = 0;  // The run that computed the value.
};

// Inputs for a test: shapes, attributes, and the range to sample from.
struct OperationSample {
  std::vector<Shape> shapes;
  Attributes attributes;
  float low = -1;
  float high = 1;
  bool has_indices = false;  // The second input holds integers.
};

// The shapes of a node, for an exporter.
struct NodeShapes {
  std::span<const Shape> inputs;
  Shape output;
};

// Returns how many floats a computation needs besides its output.
using WorkSize = std::int64_t (*)(std::span<const Shape> inputs,
                                  const Shape& output,
                                  const Attributes& attributes);

struct Operation {
  std::string_view name;
  std::string_view what;   // A short description for users.
  std::string_view group;  // "matrix"; filled in by operation_table().
  std::size_t min_inputs = 1;
  std::size_t max_inputs = 1;
  // Throws LogicError if the inputs do not fit.
  Shape (*shape)(const Operation& operation, std::span<const Shape> inputs,
                 const Attributes& attributes) = nullptr;
  void (*value)(const ValueCall& call) = nullptr;
  // Null if the operation is not differentiable.
  void (*gradient)(const GradientCall& call) = nullptr;
  WorkSize saved_size = nullptr;    // What the value keeps for the gradient.
  WorkSize scratch_size = nullptr;  // Enough for the value or for the gradient.
  // Whether the gradient reads the values of the inputs, or of the output. A
  // plan may overwrite a value that no gradient reads.
  bool gradient_reads_inputs = true;
  bool gradient_reads_output = true;
  // Element i of the output depends only on element i of the inputs, so the
  // output may overwrite an input that is not broadcast. In the same way an
  // input gradient may overwrite the output gradient; the operation must then
  // compute that input gradient last.
  bool in_place = false;
  bool is_view = false;  // The output is the input in another shape.
  // Bit i: the value function also writes to leaf input i.
  std::uint32_t updated_inputs = 0;
  // Only this many first inputs are differentiable; the rest are flags, labels
  // or indices.
  std::size_t differentiable_inputs = 1'000'000;
  // The ONNX form, as an expression of inputs and attributes (see
  // onnx_expression.h), or a function that writes it.
  std::string_view onnx;
  std::string (*write_onnx)(const NodeShapes& shapes,
                            const Attributes& attributes) = nullptr;
  const UnaryOp* unary = nullptr;    // For entries of unary_ops().
  const BinaryOp* binary = nullptr;  // For entries of binary_ops().
  std::vector<OperationSample> samples;
};

}  // namespace lamarck
