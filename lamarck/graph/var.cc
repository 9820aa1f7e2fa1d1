#include "lamarck/graph/var.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_error.h"
#include "lamarck/graph/internal/graph_state.h"
#include "lamarck/graph/operation_table.h"

namespace lamarck {
namespace {

void require_same_graph(const Var& a, const Var& b, std::string_view name) {
  if (a.same_graph(b)) return;
  throw_graph_error(
      ErrorCode::InvalidArgument, "graph_mismatch",
      std::string(name) +
          ": the operands belong to different graphs; copy a value from one to "
          "the other with set_value.");
}

Attributes make_attributes(const Conv2dOptions& options) {
  return {.integers = {options.stride.y, options.stride.x, options.padding.y,
                       options.padding.x, options.dilation.y,
                       options.dilation.x, options.groups}};
}

Result<Var> try_binary(std::string_view name, const Var& a, const Var& b) {
  try {
    return binary(name, a, b);
  } catch (const LogicError& failure) {
    return failure.error();
  }
}

}  // namespace

Var::Var(std::shared_ptr<GraphState> state, NodeId id)
    : state_(std::move(state)), id_(id), serial_(state_->node(id).serial) {
  ++state_->nodes[id_].handles;
}

Var::Var(const Var& other)
    : state_(other.state_), id_(other.id_), serial_(other.serial_) {
  if (state_ && is_counted()) ++state_->nodes[id_].handles;
}

Var& Var::operator=(Var other) noexcept {
  std::swap(state_, other.state_);
  std::swap(id_, other.id_);
  std::swap(serial_, other.serial_);
  return *this;
}

Var::~Var() {
  if (state_ && is_counted()) --state_->nodes[id_].handles;
}

// Whether the node with this id is still the one that the Var refers to. Ids
// are reused, so the serial number decides.
bool Var::is_counted() const {
  return id_ < state_->nodes.size() && state_->nodes[id_].serial == serial_;
}

GraphState& Var::state() const {
  if (state_) return *state_;
  throw_graph_error(ErrorCode::FailedPrecondition, "undefined_var",
                    "This Var refers to no node; assign an expression to it "
                    "before using it.");
}

NodeId Var::checked() const {
  const GraphState& graph_state = state();
  if (is_counted() && !graph_state.nodes[id_].is_removed) return id_;
  throw_graph_error(
      ErrorCode::NotFound, "node_not_found",
      "Node " + std::to_string(id_) + " was removed from the graph.");
}

Graph Var::graph() const {
  static_cast<void>(state());
  return Graph(state_);
}
Shape Var::shape() const { return state().node(checked()).shape; }
void Var::forward() const { state().forward(checked()); }
float Var::backward(bool retain_graph) const {
  return state().backward(checked(), retain_graph);
}

Tensor Var::value() const {
  const Node& node = state().node(checked());
  if (node.operation != nullptr && !node.is_computed) {
    throw_graph_error(
        ErrorCode::FailedPrecondition, "value_not_computed",
        "value: this node has not been computed yet; call forward() first.");
  }
  return node.value.clone();
}

bool Var::has_value() const {
  const Node& node = state().node(checked());
  return node.is_leaf() || node.is_computed;
}

float Var::item() const { return value().item(); }
void Var::set_value(const Tensor& value) const {
  state().set_value(checked(), value);
}

float Var::backward_through_time(const BpttOptions& options) const {
  return state().backward_through_time(checked(), options);
}

std::string_view Var::operation() const {
  const Node& node = state().node(checked());
  return node.is_leaf() ? "" : node.operation->name;
}
const Attributes& Var::attributes() const {
  return state().node(checked()).attributes;
}
bool Var::is_constant() const { return state().node(checked()).is_constant; }
bool Var::is_memory() const { return state().node(checked()).is_memory; }
bool Var::is_parameter() const { return state().node(checked()).is_parameter; }

Tensor Var::grad() const {
  const Node& node = state().node(checked());
  if (!node.has_gradient) {
    throw_graph_error(
        ErrorCode::FailedPrecondition, "gradient_not_computed",
        "grad: this node has no gradient; call backward() on a loss that "
        "depends on it. Inputs need set_requires_grad(true).");
  }
  return node.gradient.clone();
}

const std::string& Var::name() const { return state().node(checked()).name; }

const Var& Var::set_name(const std::string& name) const {
  state().set_name(checked(), name);
  return *this;
}

std::span<float> Var::elements() const {
  Node& node = state().node(checked());
  REQUIRE(node.is_leaf(),
          "Var::elements: the node must be an input or a parameter, got the "
          "result of '{}'.",
          node.operation->name);
  ++state().pass;
  state().parameter_changes += node.is_parameter ? 1 : 0;
  if (node.is_memory) state().note_memory_set(id_);
  return node.own_value().data();
}

std::span<const float> Var::gradient_elements() const {
  const Node& node = state().node(checked());
  REQUIRE(node.has_gradient,
          "Var::gradient_elements: call backward() first; node {} has no "
          "gradient.",
          id_);
  return node.gradient.data();
}

void Var::scale_gradient(float factor) const {
  Node& node = state().node(checked());
  REQUIRE(node.has_gradient,
          "Var::scale_gradient: call backward() first; node {} has no "
          "gradient.",
          id_);
  for (float& g : node.gradient.data()) g *= factor;
}

bool Var::has_grad() const { return state().node(checked()).has_gradient; }
void Var::zero_grad() const { state().node(checked()).has_gradient = false; }

void Var::detach() const {
  state().node(checked()).is_detached = true;
  state().gradient_flow_changed();
}

void Var::attach() const {
  state().node(checked()).is_detached = false;
  state().gradient_flow_changed();
}

Var Var::detached() const { return unary("detached"); }

void Var::set_requires_grad(bool required) const {
  Node& node = state().node(checked());
  REQUIRE(node.is_leaf(),
          "Var::set_requires_grad: the node must be an input or a parameter, "
          "got the result of '{}'.",
          node.operation->name);
  node.requires_gradient = required;
  state().gradient_flow_changed();
}

Var Var::zeros_like() const { return graph().zeros(shape()); }
Var Var::ones_like() const { return graph().ones(shape()); }
Var Var::randn_like() const { return graph().randn(shape()); }

Var Var::unary(std::string_view name, const Attributes& attributes) const {
  return apply_operation(operation_named(name), std::span(this, 1), attributes);
}

Var Var::relu() const { return unary("relu"); }
Var Var::leaky_relu(float alpha) const {
  return unary("leaky_relu", {.numbers = {alpha}});
}
Var Var::sigmoid() const { return unary("sigmoid"); }
Var Var::tanh() const { return unary("tanh"); }
Var Var::step() const { return unary("step"); }
Var Var::gelu() const { return unary("gelu"); }
Var Var::silu() const { return unary("silu"); }
Var Var::softplus() const { return unary("softplus"); }
Var Var::elu(float alpha) const { return unary("elu", {.numbers = {alpha}}); }
Var Var::exp() const { return unary("exp"); }
Var Var::log() const { return unary("log"); }
Var Var::sqrt() const { return unary("sqrt"); }
Var Var::square() const { return unary("square"); }
Var Var::abs() const { return unary("abs"); }
Var Var::pow(float exponent) const {
  return unary("pow", {.numbers = {exponent}});
}
Var Var::clamp(float low, float high) const {
  return unary("clamp", {.numbers = {low, high}});
}
Var Var::apply(std::string_view function) const {
  return unary(function, {.numbers = unary_op(function).default_parameters});
}
Var Var::softmax(std::int64_t axis) const { return along(axis, "softmax"); }
Var Var::log_softmax(std::int64_t axis) const {
  return along(axis, "log_softmax");
}
Var Var::along(std::int64_t axis, std::string_view name) const {
  // The last axis is the default, so that the attributes of -1 are empty.
  return axis == -1 ? unary(name) : unary(name, {.integers = {axis, 1}});
}

Var Var::matmul(const Var& right) const {
  return binary("matmul", *this, right);
}
Var Var::transpose() const { return unary("transpose"); }

Var Var::transpose(std::int64_t first, std::int64_t second) const {
  const Shape now = shape();
  std::vector<std::int64_t> axes(now.rank());
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  std::swap(axes[now.axis(first, "transpose")],
            axes[now.axis(second, "transpose")]);
  return permute(axes);
}

Var Var::permute(std::initializer_list<std::int64_t> axes) const {
  return permute(std::span(axes.begin(), axes.size()));
}

Var Var::permute(std::span<const std::int64_t> axes) const {
  REQUIRE(axes.size() == shape().rank(),
          "Var::permute: the number of axes must be {} for shape {}, got {}.",
          shape().rank(), shape().to_string(), axes.size());
  Attributes attributes;
  std::ranges::copy(axes, attributes.integers.begin());
  return unary("permute", attributes);
}

Var Var::reshape(std::initializer_list<std::int64_t> sizes) const {
  return reshape(std::span(sizes.begin(), sizes.size()));
}

Var Var::reshape(std::span<const std::int64_t> sizes) const {
  Attributes attributes;
  std::vector<std::int64_t> known(sizes.begin(), sizes.end());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] != -1) continue;
    REQUIRE(attributes.integers[0] == 0,
            "Var::reshape: at most one size may be -1, got axes {} and {}.",
            attributes.integers[0] - 1, i);
    // Remember the axis to infer; 0 means none.
    attributes.integers[0] = static_cast<std::int64_t>(i) + 1;
    known[i] = 0;
  }
  attributes.shape = Shape(known);
  return unary("reshape", attributes);
}

Var Var::with_axis(std::size_t axis) const {
  const Shape now = shape();
  std::vector<std::int64_t> sizes(now.begin(), now.end());
  // Infer the batch size, so that it may change.
  if (now.element_count() > 0 && !sizes.empty()) sizes[0] = -1;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return reshape(sizes);
}

Var Var::flatten() const {
  const Shape now = shape();
  std::int64_t rest = 1;
  for (std::size_t i = 1; i < now.rank(); ++i) rest *= now[i];
  return reshape({-1, rest});
}

Var Var::unsqueeze(std::int64_t axis) const {
  const auto rank = static_cast<std::int64_t>(shape().rank()) + 1;
  REQUIRE(axis >= -rank && axis < rank,
          "Var::unsqueeze: the new axis must be between {} and {}, got {}.",
          -rank, rank - 1, axis);
  return with_axis(static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
}

Var Var::squeeze(std::int64_t axis) const {
  const Shape now = shape();
  const std::size_t at = now.axis(axis, "squeeze");
  REQUIRE(now[at] == 1,
          "Var::squeeze: the size of axis {} of shape {} must be 1, got {}.",
          at, now.to_string(), now[at]);
  // The axis has one element, so summing over it just drops it.
  return sum(axis);
}

Var Var::slice(std::int64_t axis, std::int64_t begin, std::int64_t end) const {
  return unary("slice", {.integers = {axis, begin, end}});
}

Var Var::select(std::int64_t axis, std::int64_t index) const {
  const Var cut = slice(axis, index, index == -1 ? kToEnd : index + 1);
  // The axis has one element, so summing over it just drops it.
  return cut.sum(axis);
}

std::vector<Var> Var::split(std::int64_t axis,
                            std::span<const std::int64_t> sizes) const {
  std::vector<Var> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(slice(axis, begin, begin + size));
    begin += size;
  }
  REQUIRE(begin == shape()[shape().axis(axis, "split")],
          "Var::split: the sizes must sum to the size of axis {} in shape {}, "
          "got {}.",
          axis, shape().to_string(), begin);
  return parts;
}

std::vector<Var> Var::split(std::int64_t axis,
                            std::initializer_list<std::int64_t> sizes) const {
  return split(axis, std::span(sizes.begin(), sizes.size()));
}

Var Var::gather(std::int64_t axis, const Var& indices) const {
  const std::array inputs = {*this, indices};
  return apply_operation(operation_named("gather"), inputs,
                         {.integers = {axis}});
}

Var Var::pad(std::int64_t axis, std::int64_t before, std::int64_t after,
             float value) const {
  return unary("pad", {.numbers = {value}, .integers = {axis, before, after}});
}

Var Var::conv2d(const Var& weight, const Conv2dOptions& options) const {
  const std::array inputs = {*this, weight};
  return apply_operation(operation_named("conv2d"), inputs,
                         make_attributes(options));
}

Var Var::conv2d(const Var& weight, const Var& bias,
                const Conv2dOptions& options) const {
  const std::array inputs = {*this, weight, bias};
  return apply_operation(operation_named("conv2d"), inputs,
                         make_attributes(options));
}

Var Var::channel_bias(const Var& bias) const {
  return binary("channel_bias", *this, bias);
}

Var Var::pooled(std::string_view name, PerAxis kernel,
                const Pool2dOptions& options) const {
  const PerAxis stride = options.stride.value_or(kernel);
  return unary(name, {.integers = {kernel.y, kernel.x, stride.y, stride.x,
                                   options.padding.y, options.padding.x}});
}

Var Var::max_pool2d(PerAxis kernel, const Pool2dOptions& options) const {
  return pooled("max_pool2d", kernel, options);
}
Var Var::avg_pool2d(PerAxis kernel, const Pool2dOptions& options) const {
  return pooled("avg_pool2d", kernel, options);
}

Var Var::layer_norm(const Var& scale, const Var& shift, float epsilon) const {
  const std::array inputs = {*this, scale, shift};
  return apply_operation(operation_named("layer_norm"), inputs,
                         {.numbers = {epsilon}});
}

Var Var::embedding(const Var& indices) const {
  return binary("embedding", *this, indices);
}

Var Var::dropout(float probability, const Var& training,
                 std::uint64_t seed) const {
  const std::array inputs = {*this, training};
  // Two halves, because model files limit integers to 10^12.
  const auto lower = static_cast<std::int64_t>(seed & 0xffffffff);
  const auto upper = static_cast<std::int64_t>(seed >> 32);
  return apply_operation(
      operation_named("dropout"), inputs,
      {.numbers = {probability}, .integers = {lower, upper}});
}

// Attributes: the axis, whether there is one, whether to keep it.
Var Var::reduced(std::string_view name) const { return unary(name); }
Var Var::reduced(std::string_view name, std::int64_t axis, bool keepdim) const {
  return unary(name, {.integers = {axis, 1, keepdim ? 1 : 0}});
}
Var Var::sum() const { return reduced("sum"); }
Var Var::sum(std::int64_t axis, bool keepdim) const {
  return reduced("sum", axis, keepdim);
}
Var Var::mean() const { return reduced("mean"); }
Var Var::mean(std::int64_t axis, bool keepdim) const {
  return reduced("mean", axis, keepdim);
}
Var Var::max() const { return reduced("max"); }
Var Var::max(std::int64_t axis, bool keepdim) const {
  return reduced("max", axis, keepdim);
}
Var Var::min() const { return reduced("min"); }
Var Var::min(std::int64_t axis, bool keepdim) const {
  return reduced("min", axis, keepdim);
}
Var Var::argmax() const { return reduced("argmax"); }
Var Var::argmax(std::int64_t axis, bool keepdim) const {
  return reduced("argmax", axis, keepdim);
}

// Like binary(), but without broadcasting.
Var Var::compared(std::string_view name, const Var& target) const {
  const std::array inputs = {*this, target};
  return apply_operation(operation_named(name), inputs, {.integers = {1}});
}

Var Var::mse(const Var& target) const {
  return compared("sub", target).square().mean();
}
Var Var::mae(const Var& target) const {
  return compared("sub", target).abs().mean();
}

Var Var::huber(const Var& target, float delta) const {
  // With s = min(|e|, delta): s * (|e| - s / 2) is e^2 / 2 up to delta and
  // linear above.
  const Var error = compared("sub", target).abs();
  const Var small = error.clamp(0, delta);
  return (small * (error - 0.5f * small)).mean();
}

Var Var::cross_entropy(const Var& target) const {
  return binary("cross_entropy", *this, target);
}

Var Var::bce(const Var& target) const {
  // Stay away from 0 and 1, where one of the logarithms is infinite.
  const Var p = clamp(1e-7f, 1 - 1e-7f);
  return -(p.log().compared("mul", target) +
           (1.0f - p).log().compared("mul", 1.0f - target))
              .mean();
}

Var Var::bce_with_logits(const Var& target) const {
  // softplus(x) - x t equals the formula with sigmoid and log, but stays
  // accurate for large |x|.
  return (softplus() - compared("mul", target)).mean();
}

Var Var::masked_mean(const Var& mask) const {
  return binary("masked", *this, mask).sum() / mask.sum();
}

Var Var::perception_loss(const Var& target) const {
  return (-compared("mul", target)).relu().mean();
}

Result<Var> Var::try_add(const Var& right) const {
  return try_binary("add", *this, right);
}
Result<Var> Var::try_sub(const Var& right) const {
  return try_binary("sub", *this, right);
}
Result<Var> Var::try_mul(const Var& right) const {
  return try_binary("mul", *this, right);
}
Result<Var> Var::try_div(const Var& right) const {
  return try_binary("div", *this, right);
}

Var apply_operation(const Operation& operation, std::span<const Var> inputs,
                    const Attributes& attributes) {
  REQUIRE(!inputs.empty(), "{}: needs at least one input, got none.",
          operation.name);
  std::vector<NodeId> ids;
  for (const Var& input : inputs) {
    ids.push_back(input.checked());
    require_same_graph(inputs[0], input, operation.name);
  }
  return {inputs[0].state_, inputs[0].state_->add_operation(
                                operation, std::move(ids), attributes)};
}

Var binary(std::string_view name, const Var& a, const Var& b) {
  const std::array inputs = {a, b};
  return apply_operation(operation_named(name), inputs, {});
}
Var binary(std::string_view name, const Var& a, float b) {
  return binary(name, a, a.graph().constant(Tensor::scalar(b)));
}
Var binary(std::string_view name, float a, const Var& b) {
  return binary(name, b.graph().constant(Tensor::scalar(a)), b);
}

Var operator+(const Var& a, const Var& b) { return binary("add", a, b); }
Var operator+(const Var& a, float b) { return binary("add", a, b); }
Var operator+(float a, const Var& b) { return binary("add", a, b); }
Var operator-(const Var& a, const Var& b) { return binary("sub", a, b); }
Var operator-(const Var& a, float b) { return binary("sub", a, b); }
Var operator-(float a, const Var& b) { return binary("sub", a, b); }
Var operator*(const Var& a, const Var& b) { return binary("mul", a, b); }
Var operator*(const Var& a, float b) { return binary("mul", a, b); }
Var operator*(float a, const Var& b) { return binary("mul", a, b); }
Var operator/(const Var& a, const Var& b) { return binary("div", a, b); }
Var operator/(const Var& a, float b) { return binary("div", a, b); }
Var operator/(float a, const Var& b) { return binary("div", a, b); }
Var operator-(const Var& a) { return a.apply("neg"); }

Var& operator+=(Var& a, const Var& b) { return a = a + b; }
Var& operator+=(Var& a, float b) { return a = a + b; }
Var& operator-=(Var& a, const Var& b) { return a = a - b; }
Var& operator-=(Var& a, float b) { return a = a - b; }
Var& operator*=(Var& a, const Var& b) { return a = a * b; }
Var& operator*=(Var& a, float b) { return a = a * b; }
Var& operator/=(Var& a, const Var& b) { return a = a / b; }
Var& operator/=(Var& a, float b) { return a = a / b; }

Var operator>(const Var& a, const Var& b) { return binary("greater", a, b); }
Var operator>(const Var& a, float b) { return binary("greater", a, b); }
Var operator>(float a, const Var& b) { return binary("greater", a, b); }
Var operator>=(const Var& a, const Var& b) {
  return binary("greater_equal", a, b);
}
Var operator>=(const Var& a, float b) { return binary("greater_equal", a, b); }
Var operator>=(float a, const Var& b) { return binary("greater_equal", a, b); }
Var operator<(const Var& a, const Var& b) { return binary("less", a, b); }
Var operator<(const Var& a, float b) { return binary("less", a, b); }
Var operator<(float a, const Var& b) { return binary("less", a, b); }
Var operator<=(const Var& a, const Var& b) {
  return binary("less_equal", a, b);
}
Var operator<=(const Var& a, float b) { return binary("less_equal", a, b); }
Var operator<=(float a, const Var& b) { return binary("less_equal", a, b); }
Var operator==(const Var& a, const Var& b) { return binary("equal", a, b); }
Var operator==(const Var& a, float b) { return binary("equal", a, b); }
Var operator==(float a, const Var& b) { return binary("equal", a, b); }
Var operator!=(const Var& a, const Var& b) { return binary("not_equal", a, b); }
Var operator!=(const Var& a, float b) { return binary("not_equal", a, b); }
Var operator!=(float a, const Var& b) { return binary("not_equal", a, b); }

bool same_node(const Var& a, const Var& b) {
  return a.same_graph(b) && a.node_id() == b.node_id();
}

std::ostream& operator<<(std::ostream& out, const Var& var) {
  if (!var.is_defined()) return out << "(undefined)";
  const bool is_leaf = var.operation().empty();
  std::string what = is_leaf ? (var.is_parameter() ? "parameter" : "input")
                             : std::string(var.operation());
  if (!var.name().empty()) what += " '" + var.name() + "'";
  if (var.has_value()) return out << var.value() << " (" << what << ")";
  return out << "(" << what << " of shape " << var.shape()
             << ", not computed yet)";
}

Var batch_norm(const Var& x, const BatchNormInputs& inputs,
               const BatchNormOptions& options) {
  // Training writes into them, so they must belong to nothing else.
  for (const Var& statistic : {inputs.mean, inputs.variance}) {
    REQUIRE(statistic.operation().empty() && !statistic.is_parameter(),
            "batch_norm: the running mean and variance must be inputs of the "
            "graph, got {} '{}'; create them with Graph::input.",
            statistic.is_parameter() ? "the parameter" : "the result of",
            statistic.is_parameter() ? statistic.name()
                                     : std::string(statistic.operation()));
  }
  const std::array all = {x,           inputs.scale,    inputs.shift,
                          inputs.mean, inputs.variance, inputs.training};
  return apply_operation(operation_named("batch_norm"), all,
                         {.numbers = {options.epsilon, options.momentum}});
}

Var concat(std::span<const Var> parts, std::int64_t axis) {
  return apply_operation(operation_named("concat"), parts,
                         {.integers = {axis}});
}

Var concat(std::initializer_list<Var> parts, std::int64_t axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

Var total(std::span<const Var> parts) {
  return apply_operation(operation_named("total"), parts, {});
}

Var stack(std::span<const Var> parts, std::int64_t axis) {
  REQUIRE(!parts.empty(), "stack: parts must not be empty.");
  // Give each part a new axis of size 1, then join the parts along it.
  std::vector<Var> widened;
  for (const Var& part : parts) widened.push_back(part.unsqueeze(axis));
  return concat(widened, axis);
}

Var stack(std::initializer_list<Var> parts, std::int64_t axis) {
  return stack(std::span(parts.begin(), parts.size()), axis);
}

}  // namespace lamarck
