// What an operation of a graph is: name, shape rule, value and gradient side by
// side, and the samples its tests use.

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

// Settings of one node; each operation says which it reads.
struct Attributes {
  std::array<float, 2> numbers{};
  std::array<std::int64_t, 8> integers{};  // Such as axis, begin, end.
  Shape shape;                             // Of reshape.

  friend bool operator==(const Attributes&, const Attributes&) = default;
};

struct Operation;

// Dense elements with their shape; the plan owns both.
struct ConstView {
  const float* data = nullptr;
  const Shape* shape = nullptr;
};
struct View {
  float* data = nullptr;
  const Shape* shape = nullptr;
};

// One node's computation, prepared once and run many times.
struct ValueCall {
  const Operation* operation = nullptr;
  const Attributes* attributes = nullptr;
  const BroadcastPlan* broadcast = nullptr;  // Of a binary operation.
  std::span<const ConstView> inputs;
  View output;
  float* saved = nullptr;    // Operation::saved_size floats for the gradient.
  float* scratch = nullptr;  // Operation::scratch_size floats, not kept.
  std::uint64_t run = 0;     // Another number for each run; chance draws by it.
};

// `input_gradients[i]` is null where nobody needs it; otherwise the gradient is
// added there if `accumulate[i]`, and else written.
struct GradientCall {
  const Operation* operation = nullptr;
  const Attributes* attributes = nullptr;
  const BroadcastPlan* broadcast = nullptr;
  std::span<const ConstView> inputs;
  ConstView output;
  const float* output_gradient = nullptr;
  std::span<float* const> input_gradients;
  std::span<const bool> accumulate;
  const float* saved = nullptr;  // As the value left it.
  float* scratch = nullptr;
  std::uint64_t run = 0;  // The one in which the value was computed.
};

// Inputs for a test: shapes, attributes, and where to sample.
struct OperationSample {
  std::vector<Shape> shapes;
  Attributes attributes;
  float low = -1;
  float high = 1;
};

// A node as an exporter sees it.
struct NodeShapes {
  std::span<const Shape> inputs;
  Shape output;
};

// How many floats a computation needs beside its output.
using WorkSize = std::int64_t (*)(std::span<const Shape> inputs,
                                  const Shape& output,
                                  const Attributes& attributes);

struct Operation {
  std::string_view name;
  std::string_view what;   // For people, in a few words.
  std::string_view group;  // "matrix"; the list fills it in.
  std::size_t least_inputs = 1;
  std::size_t most_inputs = 1;
  // Throws LogicError if the inputs do not fit.
  Shape (*shape)(const Operation& operation, std::span<const Shape> inputs,
                 const Attributes& attributes) = nullptr;
  void (*value)(const ValueCall& call) = nullptr;
  // Null where the output does not depend smoothly on the inputs.
  void (*gradient)(const GradientCall& call) = nullptr;
  WorkSize saved_size = nullptr;    // What the value leaves for the gradient.
  WorkSize scratch_size = nullptr;  // Of value and gradient, one at a time.
  // Whether the gradient looks at the inputs' values, or at the output's: what
  // it does not look at may be overwritten before.
  bool gradient_reads_inputs = true;
  bool gradient_reads_output = true;
  // Element i of the output needs element i of the inputs alone, so it may be
  // written over an input that was not stretched, and gradients likewise: the
  // one that overwrites what comes in is worked out last.
  bool in_place = false;
  bool is_view = false;  // The output is the input in another shape.
  std::uint32_t updated_inputs = 0;  // Bit i: value also writes the leaf i.
  // Only the first inputs are differentiated; the rest are labels or indices.
  std::size_t differentiable_inputs = 1'000'000;
  // What it is in ONNX, as an expression of its inputs and attributes, which
  // onnx_expression.h describes; or a function that writes it.
  std::string_view onnx;
  std::string (*write_onnx)(const NodeShapes& shapes,
                            const Attributes& attributes) = nullptr;
  const UnaryOp* unary = nullptr;    // Of functions of one number.
  const BinaryOp* binary = nullptr;  // Of functions of two numbers.
  std::vector<OperationSample> samples;
};

}  // namespace lamarck
