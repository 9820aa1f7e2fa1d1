// A node of a graph, for writing expressions:
//
//   Var loss = (x.matmul(w) + b).tanh().mse(y);
//   loss.backward();
//
// Building an expression computes nothing. `forward` and `backward` run a plan
// that is compiled once for the current shapes.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/graph/operation.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

class Graph;
struct GraphState;
using NodeId = std::size_t;

// One number for both axes of an image, or one for each axis.
struct PerAxis {
  PerAxis(std::int64_t both) : y(both), x(both) {}  // 3 is {3, 3}.
  PerAxis(std::int64_t of_y, std::int64_t of_x) : y(of_y), x(of_x) {}

  std::int64_t y;
  std::int64_t x;
};

struct Conv2dOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;  // Zeros on each side.
  PerAxis dilation = 1;
  std::int64_t groups = 1;  // Must divide the input and output channels.
};

struct Pool2dOptions {
  std::optional<PerAxis> stride;  // Defaults to the size of the kernel.
  PerAxis padding = 0;            // At most half of the kernel size.
};

struct BpttOptions {
  std::size_t steps = 0;  // How many steps to go back; 0 for all.
  // Whether only the loss of the last step counts.
  bool last_loss_only = false;
};

// Refers to a node and keeps its graph alive. Cheap to copy. Wrong use throws
// LogicError that states the operation, the shapes and the remedy. Thread
// safety: one thread at a time may use a graph.
class Var {
 public:
  // Refers to no node: only assignment, is_defined and same_graph are allowed.
  Var() = default;
  Var(const Var& other);
  Var(Var&& other) noexcept = default;
  Var& operator=(Var other) noexcept;
  ~Var();

  bool is_defined() const { return state_ != nullptr; }
  NodeId node_id() const { return id_; }
  const std::string& name() const;  // Empty if it has none.
  // Names the node, so that it can be found again in a file. Throws LogicError
  // if the name is taken.
  const Var& set_name(const std::string& name) const;
  Graph graph() const;
  bool same_graph(const Var& other) const { return state_ == other.state_; }

  // The name of its operation, such as "matmul"; empty for a leaf.
  std::string_view operation() const;
  // The settings of its operation, such as the axis of a slice.
  const Attributes& attributes() const;
  bool is_parameter() const;
  bool is_constant() const;  // Made by Graph::constant.
  bool is_memory() const;    // Made by Graph::memory.

  // The shape in the last run, or when it was built if it has not run.
  Shape shape() const;

  // Computes the node with the current inputs. A pass lasts until an input or
  // parameter changes or the same node is computed again. Within a pass, nodes
  // that share a subexpression agree on it: dropout draws once and batch_norm
  // updates its statistics once.
  void forward() const;
  // Adds the gradients with respect to all parameters that the node depends on,
  // after running forward if the inputs have changed. Returns the value of the
  // node. A second call without a forward between needs `retain_graph` in the
  // first. REQUIRES: the node has one element.
  float backward(bool retain_graph = false) const;

  // Adds the gradients of the sum of this loss over the steps that Graph::step
  // recorded, then clears the record. Returns that sum. REQUIRES: the node has
  // one element, and the steps were recorded with it as the target.
  float backward_through_time(const BpttOptions& options = {}) const;

  // A copy of the value from the last run; throws if there was none.
  Tensor value() const;
  bool has_value() const;  // False for a node that has not been computed.
  float item() const;      // REQUIRES: the node has one element.
  // Sets the value of a leaf. A new shape makes the next run compile a new
  // plan; a parameter must keep its shape.
  void set_value(const Tensor& value) const;

  // Direct access to the elements of a leaf, for optimizers. Each call counts
  // as a change of the value. Valid until the shape changes.
  std::span<float> elements() const;
  std::span<const float> gradient_elements() const;  // REQUIRES: has_grad().
  void scale_gradient(float factor) const;           // REQUIRES: has_grad().

  // A copy of the gradient; throws if there is none.
  Tensor grad() const;
  bool has_grad() const;
  void zero_grad() const;

  // The same value as a new node through which no gradient passes:
  // `discriminator(fake.detached())` trains the discriminator only.
  Var detached() const;
  // Stops gradients from passing through this node itself, wherever it is used,
  // until `attach`.
  void detach() const;
  void attach() const;
  // Whether backward computes a gradient for this leaf. True for parameters and
  // false for other leaves by default.
  void set_requires_grad(bool required) const;

  // New inputs of the same shape.
  Var zeros_like() const;
  Var ones_like() const;
  Var randn_like() const;

  // Elementwise functions.
  Var relu() const;
  Var leaky_relu(float alpha = 0.01f) const;
  Var sigmoid() const;
  Var tanh() const;
  Var step() const;
  Var gelu() const;
  Var silu() const;
  Var softplus() const;
  Var elu(float alpha = 1.0f) const;
  Var exp() const;
  Var log() const;
  Var sqrt() const;
  Var square() const;
  Var abs() const;
  Var pow(float exponent) const;
  Var clamp(float low, float high) const;
  // Any entry of unary_ops(), by name.
  Var apply(std::string_view function) const;

  Var softmax(std::int64_t axis = -1) const;
  Var log_softmax(std::int64_t axis = -1) const;

  // Matrices and shapes.
  // [.., m, k] x [.., k, n]; leading axes broadcast.
  Var matmul(const Var& right) const;
  // Negative axes count from the last one: -1 is the last axis.
  Var transpose() const;  // Of a matrix.
  Var transpose(std::int64_t first, std::int64_t second) const;
  // Reorders the axes: permute({0, 2, 1}) swaps the last two of three.
  Var permute(std::initializer_list<std::int64_t> axes) const;
  Var permute(std::span<const std::int64_t> axes) const;
  // One size may be -1; it is inferred from the number of elements.
  Var reshape(std::initializer_list<std::int64_t> sizes) const;
  Var reshape(std::span<const std::int64_t> sizes) const;
  Var flatten() const;  // [batch, everything else]
  // Adds an axis of size 1, or drops one.
  Var unsqueeze(std::int64_t axis) const;
  Var squeeze(std::int64_t axis) const;  // REQUIRES: its size is 1.
  // Negative numbers count from the end of the axis; kToEnd is the end.
  Var slice(std::int64_t axis, std::int64_t begin, std::int64_t end) const;
  // The axis is dropped. A negative index counts from its end.
  Var select(std::int64_t axis, std::int64_t index) const;
  // Consecutive slices of these sizes, which must sum to the size of the axis.
  std::vector<Var> split(std::int64_t axis,
                         std::span<const std::int64_t> sizes) const;
  std::vector<Var> split(std::int64_t axis,
                         std::initializer_list<std::int64_t> sizes) const;
  // The elements at `indices` along the axis. `indices` holds integers and has
  // the same shape except along that axis. An index out of range throws when
  // the node is computed.
  Var gather(std::int64_t axis, const Var& indices) const;
  Var pad(std::int64_t axis, std::int64_t before, std::int64_t after,
          float value = 0) const;

  // On images [batch, channels, height, width]. The weight is [outputs,
  // channels / groups, height, width], the bias [outputs].
  Var conv2d(const Var& weight, const Conv2dOptions& options = {}) const;
  Var conv2d(const Var& weight, const Var& bias,
             const Conv2dOptions& options = {}) const;
  Var channel_bias(const Var& bias) const;  // For any [batch, channels, ...].
  Var max_pool2d(PerAxis kernel, const Pool2dOptions& options = {}) const;
  // The padding counts as zeros in the mean.
  Var avg_pool2d(PerAxis kernel, const Pool2dOptions& options = {}) const;

  // Normalizes along the last axis; scale and shift have its size.
  Var layer_norm(const Var& scale, const Var& shift,
                 float epsilon = 1e-5f) const;
  // The rows of this matrix at `indices`, integers in a tensor of any shape. An
  // index out of range throws when the node is computed.
  Var embedding(const Var& indices) const;
  // While `training` is 1, sets each element to 0 with `probability` and scales
  // the others up to keep the mean; each run draws a new mask. While `training`
  // is 0, returns the input.
  Var dropout(float probability, const Var& training,
              std::uint64_t seed = 0) const;

  // Reductions over all elements, or along one axis, which is dropped or, with
  // `keepdim`, kept with size 1.
  Var sum() const;
  Var sum(std::int64_t axis, bool keepdim = false) const;
  Var mean() const;
  Var mean(std::int64_t axis, bool keepdim = false) const;
  Var max() const;
  Var max(std::int64_t axis, bool keepdim = false) const;
  Var min() const;
  Var min(std::int64_t axis, bool keepdim = false) const;
  // The index in row-major order, or along one axis.
  Var argmax() const;
  Var argmax(std::int64_t axis, bool keepdim = false) const;

  // Losses against a target of the same shape. Each is a scalar, the mean over
  // the batch.
  Var mse(const Var& target) const;
  Var mae(const Var& target) const;
  Var huber(const Var& target, float delta = 1.0f) const;
  Var cross_entropy(const Var& target) const;  // Takes logits, not softmax.
  Var bce(const Var& target) const;            // Takes probabilities.
  Var bce_with_logits(const Var& target) const;
  // The mean over the elements where `mask` is 1, for ragged batches.
  Var masked_mean(const Var& mask) const;
  // The loss of the perceptron: the mean of max(0, -x * target), for targets of
  // -1 and 1.
  Var perception_loss(const Var& target) const;

  // The operators as Results, for callers that expect shapes not to match.
  Result<Var> try_add(const Var& right) const;
  Result<Var> try_sub(const Var& right) const;
  Result<Var> try_mul(const Var& right) const;
  Result<Var> try_div(const Var& right) const;

 private:
  friend class Graph;
  friend struct GraphAccess;
  friend Var apply_operation(const Operation& operation,
                             std::span<const Var> inputs,
                             const Attributes& attributes);
  Var(std::shared_ptr<GraphState> state, NodeId id);
  Var unary(std::string_view name, const Attributes& attributes = {}) const;
  Var reduced(std::string_view name) const;
  Var reduced(std::string_view name, std::int64_t axis, bool keepdim) const;
  Var along(std::int64_t axis, std::string_view name) const;
  Var with_axis(std::size_t axis) const;
  Var compared(std::string_view name, const Var& target) const;
  Var pooled(std::string_view name, PerAxis kernel,
             const Pool2dOptions& options) const;

  // Throws LogicError of kind undefined_var if this Var refers to no node.
  GraphState& state() const;
  // Returns the id; throws LogicError of kind undefined_var or, if the node was
  // removed, node_not_found.
  NodeId checked() const;
  bool is_counted() const;

  std::shared_ptr<GraphState> state_;
  NodeId id_ = 0;
  std::uint64_t serial_ = 0;
};

// Any entry of binary_ops(), by name, with broadcasting.
Var binary(std::string_view name, const Var& a, const Var& b);
Var binary(std::string_view name, const Var& a, float b);
Var binary(std::string_view name, float a, const Var& b);

Var operator+(const Var& a, const Var& b);
Var operator+(const Var& a, float b);
Var operator+(float a, const Var& b);
Var operator-(const Var& a, const Var& b);
Var operator-(const Var& a, float b);
Var operator-(float a, const Var& b);
Var operator*(const Var& a, const Var& b);
Var operator*(const Var& a, float b);
Var operator*(float a, const Var& b);
Var operator/(const Var& a, const Var& b);
Var operator/(const Var& a, float b);
Var operator/(float a, const Var& b);
Var operator-(const Var& a);

// `a += b` makes `a` refer to the node of `a + b`; other copies of `a` stay.
Var& operator+=(Var& a, const Var& b);
Var& operator+=(Var& a, float b);
Var& operator-=(Var& a, const Var& b);
Var& operator-=(Var& a, float b);
Var& operator*=(Var& a, const Var& b);
Var& operator*=(Var& a, float b);
Var& operator/=(Var& a, const Var& b);
Var& operator/=(Var& a, float b);

// The value, if it is computed, and what the node is.
std::ostream& operator<<(std::ostream& out, const Var& var);

// Comparisons give masks of 0 and 1. `same_node` tells whether two Vars refer
// to the same node.
Var operator>(const Var& a, const Var& b);
Var operator>(const Var& a, float b);
Var operator>(float a, const Var& b);
Var operator>=(const Var& a, const Var& b);
Var operator>=(const Var& a, float b);
Var operator>=(float a, const Var& b);
Var operator<(const Var& a, const Var& b);
Var operator<(const Var& a, float b);
Var operator<(float a, const Var& b);
Var operator<=(const Var& a, const Var& b);
Var operator<=(const Var& a, float b);
Var operator<=(float a, const Var& b);
Var operator==(const Var& a, const Var& b);
Var operator==(const Var& a, float b);
Var operator==(float a, const Var& b);
Var operator!=(const Var& a, const Var& b);
Var operator!=(const Var& a, float b);
Var operator!=(float a, const Var& b);
bool same_node(const Var& a, const Var& b);

// Batch normalization of the channels of [batch, channels, ...].
struct BatchNormInputs {
  Var scale;  // [channels], like the next three.
  Var shift;
  Var mean;      // Running mean: a leaf that each training run updates.
  Var variance;  // Running variance: also a leaf that training updates.
  Var training;  // A scalar: 1 uses the statistics of the batch, 0 the running
                 // ones.
};
struct BatchNormOptions {
  float epsilon = 1e-5f;
  float momentum =
      0.1f;  // The weight of the new batch in the running statistics.
};
Var batch_norm(const Var& x, const BatchNormInputs& inputs,
               const BatchNormOptions& options = {});

// Applies any entry of operation_table(). All functions above use it.
Var apply_operation(const Operation& operation, std::span<const Var> inputs,
                    const Attributes& attributes);

Var concat(std::span<const Var> parts, std::int64_t axis);
Var concat(std::initializer_list<Var> parts, std::int64_t axis);
// The elementwise sum of parts of equal shape.
Var total(std::span<const Var> parts);
// Joins parts of equal shape along a new axis.
Var stack(std::span<const Var> parts, std::int64_t axis);
Var stack(std::initializer_list<Var> parts, std::int64_t axis);

}  // namespace lamarck
