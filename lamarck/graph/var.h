// A value of a graph: what expressions are written with.
//
//   Var loss = (x.matmul(w) + b).tanh().mse(y);
//   loss.backward();
//
// Building computes nothing. `forward` and `backward` run a plan that was
// compiled once for these shapes.

#pragma once

#include <cstdint>
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

// One number for both axes of an image, or one for each.
struct PerAxis {
  PerAxis(std::int64_t both) : y(both), x(both) {}  // 3 is {3, 3}.
  PerAxis(std::int64_t of_y, std::int64_t of_x) : y(of_y), x(of_x) {}

  std::int64_t y;
  std::int64_t x;
};

struct Conv2dOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;  // With zeros, on each side.
  PerAxis dilation = 1;
  std::int64_t groups = 1;  // Divides the channels and the outputs.
};

struct Pool2dOptions {
  std::optional<PerAxis> stride;  // The kernel's size, unless told.
  PerAxis padding = 0;            // At most half of the kernel.
};

struct BpttOptions {
  std::size_t steps = 0;        // Only so many of the last ones; 0 for all.
  bool last_loss_only = false;  // The loss counts at the last step alone.
};

// A node and its graph, which it keeps alive. Cheap to copy. Mistakes throw
// LogicError with the operation, the shapes and the remedy. Thread safety: one
// graph belongs to one thread at a time.
class Var {
 public:
  Var(const Var& other);
  Var(Var&& other) noexcept = default;
  Var& operator=(Var other) noexcept;
  ~Var();

  NodeId node_id() const { return id_; }
  const std::string& name() const;  // Empty if it has none.
  // Names a node, so that it is found again in a file. A name that is taken
  // throws LogicError.
  const Var& set_name(const std::string& name) const;
  Graph graph() const;
  bool same_graph(const Var& other) const { return state_ == other.state_; }

  // "matmul"; empty for a leaf.
  std::string_view operation() const;
  bool is_parameter() const;

  // As of the last run; before the first one, as it was built.
  Shape shape() const;

  // Computes it with the inputs as they are now.
  void forward() const;
  // The gradients of all parameters that it depends on, added to what they
  // have. Computes it first if this pass has not. Returns its value. A second
  // call in one pass needs retain_graph in the first. REQUIRES: one element.
  float backward(bool retain_graph = false) const;

  // The gradients of the sum of this loss over the steps that Graph::step
  // noted, added to what parameters have; the notes are gone after. Returns
  // that sum. REQUIRES: one element, and the steps were made with this target.
  float backward_through_time(const BpttOptions& options = {}) const;

  // A copy of what the last run computed; throws if none did.
  Tensor value() const;
  float item() const;  // REQUIRES: one element.
  // Of an input, a parameter or a constant. Another shape re-plans.
  void set_value(const Tensor& value) const;

  // The elements of a leaf themselves, for optimizers; asking counts as a
  // change. Valid until the shape changes.
  std::span<float> elements() const;
  std::span<const float> gradient_elements() const;  // REQUIRES: has_grad().
  void scale_gradient(float factor) const;           // Likewise.

  // A copy; throws if no backward has reached it since it was cleared.
  Tensor grad() const;
  bool has_grad() const;
  void zero_grad() const;

  // No gradient passes this node until `attach`.
  const Var& detach() const;
  const Var& attach() const;
  // Whether backward also gives this input a gradient; parameters have it.
  void set_requires_grad(bool required) const;

  // Inputs of the same shape.
  Var zeros_like() const;
  Var ones_like() const;
  Var randn_like() const;

  // Functions of one number.
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

  // Along the last axis.
  Var softmax() const;
  Var log_softmax() const;

  // Matrices and shapes.
  // [.., m, k] x [.., k, n]; leading axes broadcast.
  Var matmul(const Var& right) const;
  Var transpose() const;
  // The axes in another order: permute({0, 2, 1}) swaps the last two of three.
  Var permute(std::initializer_list<std::int64_t> axes) const;
  // One size may be -1: what is left over.
  Var reshape(std::initializer_list<std::int64_t> sizes) const;
  Var flatten() const;  // [batch, everything else]
  Var slice(std::int64_t axis, std::int64_t begin, std::int64_t end) const;
  Var select(std::int64_t axis, std::int64_t index) const;
  // Consecutive slices of these sizes, which add up to the axis.
  std::vector<Var> split(std::int64_t axis,
                         std::span<const std::int64_t> sizes) const;
  // What `indices`, whole numbers, pick along the axis; they have the same
  // shape but for that axis. An index out of range throws when it is run.
  Var gather(std::int64_t axis, const Var& indices) const;
  Var pad(std::int64_t axis, std::int64_t before, std::int64_t after,
          float value = 0) const;

  // Images [batch, channels, height, width]; the weight is [outputs, channels /
  // groups, height, width], the bias [outputs].
  Var conv2d(const Var& weight, const Conv2dOptions& options = {}) const;
  Var conv2d(const Var& weight, const Var& bias,
             const Conv2dOptions& options = {}) const;
  Var channel_bias(const Var& bias) const;  // To any [batch, channels, ...].
  Var max_pool2d(PerAxis kernel, const Pool2dOptions& options = {}) const;
  // The padding counts as zeros.
  Var avg_pool2d(PerAxis kernel, const Pool2dOptions& options = {}) const;

  // Normalises along the last axis, which scale and shift are for.
  Var layer_norm(const Var& scale, const Var& shift,
                 float epsilon = 1e-5f) const;
  // The rows of this matrix that `indices`, whole numbers of any shape, pick.
  // An index out of range throws when it is run.
  Var embedding(const Var& indices) const;
  // While `training` is 1, elements become 0 with `probability` and the others
  // grow to keep the mean; another choice in each run. While it is 0, nothing.
  Var dropout(float probability, const Var& training,
              std::uint64_t seed = 0) const;

  // Over everything, or along one axis, which is dropped.
  Var sum() const;
  Var sum(std::int64_t axis) const;
  Var mean() const;
  Var mean(std::int64_t axis) const;
  Var max() const;
  Var max(std::int64_t axis) const;
  Var min() const;
  Var min(std::int64_t axis) const;
  Var argmax(std::int64_t axis) const;

  // Losses against a target; each is a scalar, the mean over the batch.
  Var mse(const Var& target) const;
  Var mae(const Var& target) const;
  Var huber(const Var& target, float delta = 1.0f) const;
  Var cross_entropy(const Var& target) const;  // Of logits; softmax inside.
  Var bce(const Var& target) const;            // Of probabilities.
  Var bce_with_logits(const Var& target) const;
  // The mean over the elements where `mask` is 1: for ragged batches.
  Var masked_mean(const Var& mask) const;
  // The perceptron's: the mean of max(0, -x target), targets being -1 or 1.
  Var perception_loss(const Var& target) const;

  // The operators as results, for callers who expect shapes to clash.
  Result<Var> try_add(const Var& right) const;
  Result<Var> try_sub(const Var& right) const;
  Result<Var> try_mul(const Var& right) const;
  Result<Var> try_div(const Var& right) const;

 private:
  friend class Graph;
  friend struct GraphAccess;
  friend Var stack(std::span<const Var> parts, std::int64_t axis);
  friend Var apply_operation(const Operation& operation,
                             std::span<const Var> inputs,
                             const Attributes& attributes);
  Var(std::shared_ptr<GraphState> state, NodeId id);
  Var unary(std::string_view name, const Attributes& attributes = {}) const;
  Var reduced(std::string_view name, std::optional<std::int64_t> axis) const;
  Var reshaped(const Shape& shape) const;
  Var pooled(std::string_view name, PerAxis kernel,
             const Pool2dOptions& options) const;

  // Its id; throws LogicError of kind node_not_found if the node is gone.
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

// Masks of 0 and 1.
Var operator>(const Var& a, const Var& b);
Var operator>(const Var& a, float b);
Var operator>=(const Var& a, const Var& b);
Var operator>=(const Var& a, float b);
Var operator<(const Var& a, const Var& b);
Var operator<(const Var& a, float b);
Var operator<=(const Var& a, const Var& b);
Var operator<=(const Var& a, float b);

// What normalises channels, the second axis of [batch, channels, ...].
struct BatchNormInputs {
  Var scale;  // Of [channels], as are the three below.
  Var shift;
  Var mean;  // Running; a leaf, which each run of training moves.
  Var variance;
  Var training;  // A scalar: 1 takes the batch's statistics, 0 the running
                 // ones.
};
struct BatchNormOptions {
  float epsilon = 1e-5f;
  float momentum = 0.1f;  // The share of the new in the running statistics.
};
Var batch_norm(const Var& x, const BatchNormInputs& inputs,
               const BatchNormOptions& options = {});

// Any entry of operation_table(); what the functions above are made of.
Var apply_operation(const Operation& operation, std::span<const Var> inputs,
                    const Attributes& attributes);

Var concat(std::span<const Var> parts, std::int64_t axis);
// The sum of several of one shape.
Var total(std::span<const Var> parts);
// Along a new axis.
Var stack(std::span<const Var> parts, std::int64_t axis);

}  // namespace lamarck
