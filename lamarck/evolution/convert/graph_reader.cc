#include "lamarck/evolution/convert/graph_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "lamarck/base/ensure.h"

namespace lamarck::evolution {
namespace {

std::optional<Activation> find_graph_activation(const Var& var) {
  const std::string_view name = var.operation();
  if (name == "tanh") return Activation::Tanh;
  if (name == "sigmoid") return Activation::Sigmoid;
  if (name == "relu") return Activation::Relu;
  if (name == "leaky_relu" && var.attributes().numbers[0] == 0.01f) {
    return Activation::LeakyRelu;
  }
  return std::nullopt;
}

// A leaf whose value is part of the model.
bool is_weight(const Var& var) {
  return var.operation().empty() && !var.is_memory() &&
         (var.is_parameter() || var.is_constant());
}

bool is_scalar_weight(const Var& var) {
  return is_weight(var) && var.value().element_count() == 1;
}

// A weight that broadcasting adds to each row of `columns` numbers.
bool is_row_weight(const Var& var, std::int64_t columns) {
  if (!is_weight(var)) return false;
  const Shape shape = var.shape();
  return shape.element_count() == 1 ||
         (shape.element_count() == columns && shape.rank() > 0 &&
          shape.from_back(0) == columns);
}

Tensor as_row(const Var& weight, std::int64_t columns) {
  const Tensor value = weight.value();
  return value.element_count() == 1 ? Tensor::full({columns}, value.item())
                                    : value.reshape({columns});
}

// The factors and shifts of a batch norm that uses its running statistics.
struct NormRows {
  Tensor factors;
  Tensor shift;
};

NormRows norm_rows(const Var& norm) {
  const std::vector<Var> inputs = norm.graph().inputs_of(norm);
  const float epsilon = norm.attributes().numbers[0];
  const Tensor factors = inputs[1].value() / sqrt(inputs[4].value() + epsilon);
  return {factors, inputs[2].value() - inputs[3].value() * factors};
}

Extent extent_of(const Var& var) {
  const Shape shape = var.shape();
  const auto size = [&](std::size_t axis) {
    return static_cast<std::uint32_t>(shape[axis]);
  };
  if (shape.rank() == 4) return {size(1), size(2), size(3)};
  return {.channels = size(shape.rank() - 1)};
}

// Square kernel of odd size, stride 1, padding that keeps the size.
bool keeps_size(const Var& conv, const Shape& kernel) {
  const auto& at = conv.attributes().integers;
  const std::int64_t size = kernel[2];
  return size == kernel[3] && size % 2 == 1 && size < 256 && at[0] == 1 &&
         at[1] == 1 && at[2] == size / 2 && at[3] == size / 2 && at[4] == 1 &&
         at[5] == 1 && at[6] == 1;
}

// The size of a max pooling whose windows do not overlap, else 0.
std::uint8_t plain_pool(const Var& pool) {
  const auto& at = pool.attributes().integers;
  const bool is_plain = at[0] == at[1] && at[0] == at[2] && at[0] == at[3] &&
                        at[4] == 0 && at[5] == 0 && at[0] > 1 && at[0] < 256;
  return is_plain ? static_cast<std::uint8_t>(at[0]) : 0;
}

Tensor identity_matrix(std::int64_t size) {
  Tensor matrix = Tensor::zeros({size, size});
  for (std::int64_t i = 0; i < size; ++i) matrix.at({i, i}) = 1;
  return matrix;
}

bool is_along_columns(const Var& var) {
  const auto rank = static_cast<std::int64_t>(var.shape().rank());
  const std::int64_t axis = var.attributes().integers[0];
  const std::int64_t at = axis < 0 ? axis + rank : axis;
  return rank == 4 ? at == 1 : at == rank - 1;
}

// Some columns of rows [batch, width].
bool is_column_slice(const Var& var) {
  return var.operation() == "slice" && var.shape().rank() == 2 &&
         is_along_columns(var);
}

bool is_softmax_of_rows(const Var& var) {
  if (var.operation() != "softmax") return false;
  const auto& at = var.attributes().integers;
  const auto rank = static_cast<std::int64_t>(var.shape().rank());
  return at[1] == 0 || at[0] == -1 || at[0] == rank - 1;
}

}  // namespace

std::size_t GraphReader::width_of(const Units& units) const {
  std::size_t width = 0;
  for (const UnitId id : units) width += network.node(id).width();
  return width;
}

LinearForm GraphReader::empty_form(std::int64_t columns) const {
  return {.edges = {}, .bias = Tensor::zeros({columns})};
}

void GraphReader::add_rows(LinearForm& form, const Units& units,
                           const Tensor& weight) const {
  std::int64_t row = 0;
  for (const UnitId id : units) {
    const auto rows = static_cast<std::int64_t>(network.node(id).width());
    form.add_edge(id, weight.slice(0, row, row + rows));
    row += rows;
  }
}

LinearForm GraphReader::copy_form(const Units& units) const {
  const auto width = static_cast<std::int64_t>(width_of(units));
  LinearForm form = empty_form(width);
  add_rows(form, units, identity_matrix(width));
  return form;
}

LinearForm GraphReader::form_of(const Var& var) {
  if (auto form = linear_form(var)) return *std::move(form);
  return copy_form(units_of(var));
}

LinearForm GraphReader::operand_form(const Var& var) {
  const bool is_shared = graph_.consumers_of(var).size() > 1;
  return is_shared ? copy_form(units_of(var)) : form_of(var);
}

std::optional<LinearForm> GraphReader::sum_form(const Var& left,
                                                const Var& right, float sign) {
  const Shape shape = left.shape();
  if (shape.rank() < 2 || shape.rank() > 3) return std::nullopt;
  const std::int64_t columns = shape.from_back(0);
  if (is_row_weight(right, columns)) {
    LinearForm form = form_of(left);
    form.bias = form.bias + as_row(right, columns) * sign;
    return form;
  }
  if (!(shape == right.shape())) return std::nullopt;
  LinearForm form = operand_form(left);
  LinearForm added = operand_form(right);
  added.scale(Tensor::full({columns}, sign), Tensor::zeros({columns}));
  form.add(added);
  return form;
}

std::optional<LinearForm> GraphReader::product_form(const Var& left,
                                                    const Var& right) {
  const std::int64_t columns =
      left.shape().rank() > 0 ? left.shape().from_back(0) : std::int64_t{1};
  if (left.shape().rank() < 2 || left.shape().rank() > 3 ||
      !is_row_weight(right, columns)) {
    return std::nullopt;
  }
  LinearForm form = form_of(left);
  form.scale(as_row(right, columns), Tensor::zeros({columns}));
  return form;
}

std::optional<LinearForm> GraphReader::linear_form(const Var& var) {
  const std::string_view name = var.operation();
  if (name.empty()) return std::nullopt;
  const std::vector<Var> in = graph_.inputs_of(var);
  const std::size_t rank = var.shape().rank();
  if (rank < 2 || rank > 3) return std::nullopt;
  if (name == "matmul" && is_weight(in[1]) && in[1].shape().rank() == 2) {
    LinearForm form = empty_form(in[1].shape()[1]);
    add_rows(form, units_of(in[0]), in[1].value());
    return form;
  }
  if (name == "add") {
    return is_weight(in[0]) ? sum_form(in[1], in[0], 1)
                            : sum_form(in[0], in[1], 1);
  }
  if (name == "sub" && !is_weight(in[0])) return sum_form(in[0], in[1], -1);
  if (name == "mul") {
    return is_weight(in[0]) ? product_form(in[1], in[0])
                            : product_form(in[0], in[1]);
  }
  if (name == "total") {
    LinearForm form = operand_form(in[0]);
    for (std::size_t i = 1; i < in.size(); ++i) form.add(operand_form(in[i]));
    return form;
  }
  if (name == "batch_norm" && rank == 2) {
    LinearForm form = form_of(in[0]);
    const auto [factors, shift] = norm_rows(var);
    form.scale(factors, shift);
    return form;
  }
  if (name == "dropout" || name == "detached") return linear_form(in[0]);
  return std::nullopt;
}

void GraphReader::fill_edges(UnitId to, const LinearForm& form) {
  for (const auto& [from, weights] : form.edges) {
    network.add_edge(from, to);
    const Tensor dense = weights.contiguous();
    std::ranges::copy(dense.data(),
                      network.weights(network.edge(from, to, false)).begin());
  }
}

UnitId GraphReader::add_dense(const LinearForm& form, Activation activation) {
  const UnitId id = network.add_hidden(
      {.activation = activation,
       .extent = {.channels = static_cast<std::uint32_t>(form.columns())}});
  fill_edges(id, form);
  const Tensor bias = form.bias.contiguous();
  std::ranges::copy(bias.data(),
                    network.own_parameters(network.node(id)).begin());
  return id;
}

std::optional<GraphReader::ConvForm> GraphReader::conv_form(const Var& var) {
  if (var.operation().empty()) return std::nullopt;
  const std::vector<Var> in = graph_.inputs_of(var);
  const std::string_view name = var.operation();
  if (name == "dropout" || name == "detached") return conv_form(in[0]);
  if (name == "channel_bias" && is_weight(in[1])) {
    auto form = conv_form(in[0]);
    if (form) form->bias = form->bias + in[1].value();
    return form;
  }
  if (name == "batch_norm" && var.shape().rank() == 4) {
    auto form = conv_form(in[0]);
    if (!form) return std::nullopt;
    const auto [factors, shift] = norm_rows(var);
    form->kernel =
        form->kernel * factors.reshape({factors.element_count(), 1, 1, 1});
    form->bias = form->bias * factors + shift;
    return form;
  }
  const bool has_weights = name == "conv2d" && is_weight(in[1]) &&
                           (in.size() < 3 || is_weight(in[2]));
  if (!has_weights || !keeps_size(var, in[1].shape())) return std::nullopt;
  return ConvForm{.image = in[0],
                  .kernel = in[1].value(),
                  .bias = in.size() > 2 ? in[2].value()
                                        : Tensor::zeros({in[1].shape()[0]})};
}

UnitId GraphReader::add_conv(const ConvForm& form, Activation activation,
                             std::uint8_t pool) {
  const Units from = units_of(form.image);
  const Extent before = extent_of(form.image);
  const auto size = static_cast<std::uint8_t>(form.kernel.size(2));
  const UnitId id = network.add_hidden(
      {.cell = Cell::Conv,
       .activation = activation,
       .kernel = size,
       .pool = pool,
       .extent = {.channels = static_cast<std::uint32_t>(form.kernel.size(0)),
                  .height = before.height / pool,
                  .width = before.width / pool}});
  std::int64_t channel = 0;
  for (const UnitId source : from) {
    if (!network.has_edge(source, id, false)) network.add_edge(source, id);
    const std::int64_t count = network.node(source).extent.channels;
    const Tensor part =
        form.kernel.slice(1, channel, channel + count).contiguous();
    const auto weights = network.weights(network.edge(source, id, false));
    // A source that is concatenated with itself has one edge.
    std::ranges::transform(weights, part.data(), weights.begin(),
                           std::plus<float>());
    channel += count;
  }
  const Tensor bias = form.bias.contiguous();
  std::ranges::copy(bias.data(),
                    network.own_parameters(network.node(id)).begin());
  return id;
}

// Max pooling and an activation may come in either order, because all
// activations grow with their argument.
std::optional<GraphReader::Units> GraphReader::image_unit(const Var& var) {
  if (var.shape().rank() != 4) return std::nullopt;
  Activation activation = Activation::Identity;
  std::uint8_t pool = 1;
  Var inner = var;
  bool has_activation = false;
  while (true) {
    const auto found = find_graph_activation(inner);
    const bool is_pool =
        inner.operation() == "max_pool2d" && pool == 1 && plain_pool(inner) > 0;
    if (found && !has_activation) {
      activation = *found;
      has_activation = true;
    } else if (is_pool) {
      pool = plain_pool(inner);
    } else {
      break;
    }
    inner = graph_.inputs_of(inner)[0];
  }
  if (const auto form = conv_form(inner)) {
    return Units{add_conv(*form, activation, pool)};
  }
  if (same_node(inner, var)) return std::nullopt;
  // No convolution below: one that copies every channel.
  const std::int64_t channels = inner.shape()[1];
  const ConvForm copy{
      .image = inner,
      .kernel = identity_matrix(channels).reshape({channels, channels, 1, 1}),
      .bias = Tensor::zeros({channels})};
  return Units{add_conv(copy, activation, pool)};
}

GraphReader::Units GraphReader::source_units(const Var& var) {
  const Shape shape = var.shape();
  if (shape.rank() < 2 || shape.rank() > 4) {
    throw LogicError(Error(
        ErrorCode::Unsupported,
        "convert_graph: a node that the network reads must be [batch, width], "
        "[steps, batch, width] or [batch, channels, height, width], got " +
            shape.to_string() + " of '" +
            (var.operation().empty() ? std::string("input")
                                     : std::string(var.operation())) +
            "'."));
  }
  is_sequence |= shape.rank() == 3;
  sources.push_back(var);
  return {network.add_input(extent_of(var))};
}

// The slices of an input become inputs of their own.
GraphReader::Units GraphReader::sliced_input(const Var& input) {
  const std::int64_t width = input.shape().from_back(0);
  std::set<std::int64_t> cuts = {0, width};
  std::vector<std::pair<Var, AxisRange>> parts;
  for (const Var& reader : graph_.consumers_of(input)) {
    if (!is_column_slice(reader)) continue;
    const auto& at = reader.attributes().integers;
    const AxisRange range = find_range(input.shape(), input.shape().rank() - 1,
                                       at[1], at[2], "slice");
    cuts.insert(range.begin);
    cuts.insert(range.end);
    parts.emplace_back(reader, range);
  }
  const std::vector<std::int64_t> bounds(cuts.begin(), cuts.end());
  Units pieces;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    pieces.push_back(network.add_input(
        {.channels = static_cast<std::uint32_t>(bounds[i + 1] - bounds[i])}));
  }
  sources.push_back(input);
  for (const auto& [reader, range] : parts) {
    Units own;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      if (bounds[i] >= range.begin && bounds[i + 1] <= range.end) {
        own.push_back(pieces[i]);
      }
    }
    units_.emplace(reader.node_id(), own);
  }
  return pieces;
}

GraphReader::Units GraphReader::joined_units(const Var& concat) {
  Units all;
  for (const Var& part : graph_.inputs_of(concat)) {
    const Units units = units_of(part);
    all.insert(all.end(), units.begin(), units.end());
  }
  return all;
}

std::optional<GraphReader::Units> GraphReader::reshaped_units(
    const Var& reshape) {
  const Var from = graph_.inputs_of(reshape)[0];
  const Shape before = from.shape();
  const Shape after = reshape.shape();
  if (before.rank() < 2 || after.rank() < 2 || before[0] != after[0]) {
    return std::nullopt;
  }
  const bool is_flat = after.rank() == 2 && before.rank() != 3;
  if (is_flat || before == after) return units_of(from);
  return std::nullopt;
}

GraphReader::Units GraphReader::recurrent_unit(const Var& var) {
  const std::vector<Var> in = graph_.inputs_of(var);
  const std::string_view name = var.operation();
  const Tensor to_gates = in[1].value();
  const Tensor state = in[2].value();
  LinearForm form = empty_form(to_gates.size(1));
  add_rows(form, units_of(in[0]), to_gates);
  form.bias = in[3].value();
  if (name == "rnn") {
    const UnitId id = add_dense(form, Activation::Tanh);
    network.add_recurrent_edge(id, id);
    std::ranges::copy(state.data(),
                      network.weights(network.edge(id, id, true)).begin());
    return {id};
  }
  if (name == "gru") form.bias = form.bias + in[4].value();
  const UnitId id = network.add_hidden(
      {.cell = name == "gru" ? Cell::Gru : Cell::Lstm,
       .extent = {.channels = static_cast<std::uint32_t>(state.size(0))}});
  fill_edges(id, form);
  const auto own = network.own_parameters(network.node(id));
  std::ranges::copy(state.data(), own.begin());
  std::ranges::copy(form.bias.data(), own.begin() + static_cast<std::ptrdiff_t>(
                                                        state.element_count()));
  return {id};
}

namespace {

bool is_zero(const Tensor& tensor) {
  return tensor.element_count() == 0 || max(abs(tensor)).item() == 0;
}

// Starts at 0 and has no mask. The bias of a gru's candidate that the reset
// gate multiplies has no place in a network.
bool is_plain_recurrence(const Var& var, const std::vector<Var>& in) {
  const std::string_view name = var.operation();
  const std::size_t biases = name == "gru" ? 2 : 1;
  const std::size_t states = name == "lstm" ? 2 : 1;
  if (name != "lstm" && name != "gru" && name != "rnn") return false;
  if (in.size() != 3 + biases + states) return false;
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (!is_weight(in[i])) return false;
  }
  for (std::size_t i = 3 + biases; i < in.size(); ++i) {
    if (!is_zero(in[i].value())) return false;
  }
  if (name != "gru") return true;
  const std::int64_t hidden = in[2].shape()[0];
  return is_zero(in[4].value().slice(0, 2 * hidden, 3 * hidden));
}

}  // namespace

// The lstm operation returns its hidden states and its cells side by side. Only
// the hidden states are the values of a unit.
std::optional<GraphReader::Units> GraphReader::lstm_unit(const Var& slice) {
  if (slice.operation() != "slice" || !is_along_columns(slice)) {
    return std::nullopt;
  }
  Var states = graph_.inputs_of(slice)[0];
  const Shape shape = states.shape();
  if (states.operation() == "last") states = graph_.inputs_of(states)[0];
  if (states.operation() != "lstm") return std::nullopt;
  const auto& at = slice.attributes().integers;
  const AxisRange range =
      find_range(shape, shape.rank() - 1, at[1], at[2], "slice");
  const bool is_hidden =
      range.begin == 0 && range.end == shape.from_back(0) / 2;
  if (!is_hidden || !is_plain_recurrence(states, graph_.inputs_of(states))) {
    return std::nullopt;
  }
  const auto known = lstms_.find(states.node_id());
  if (known != lstms_.end()) return known->second;
  return lstms_[states.node_id()] = recurrent_unit(states);
}

GraphReader::Units GraphReader::make_units(const Var& var) {
  const std::string_view name = var.operation();
  if (name.empty()) {
    const auto readers = graph_.consumers_of(var);
    return std::ranges::any_of(readers, is_column_slice) ? sliced_input(var)
                                                         : source_units(var);
  }
  const std::vector<Var> in = graph_.inputs_of(var);
  if (name == "dropout" || name == "detached") return units_of(in[0]);
  if (name == "last" && var.shape().rank() == 2) return units_of(in[0]);
  if (name == "concat" && is_along_columns(var)) return joined_units(var);
  if (is_column_slice(var) && in[0].operation().empty()) {
    static_cast<void>(units_of(in[0]));  // Makes the units of all its slices.
    const auto known = units_.find(var.node_id());
    if (known != units_.end()) return known->second;
  }
  if (name == "reshape") {
    if (auto units = reshaped_units(var)) return *std::move(units);
  }
  if (auto units = lstm_unit(var)) return *std::move(units);
  if (name != "lstm" && is_plain_recurrence(var, in)) {
    return recurrent_unit(var);
  }
  if (auto units = image_unit(var)) return *std::move(units);
  if (auto form = linear_form(var)) {
    return {add_dense(*form, Activation::Identity)};
  }
  const auto activation = find_graph_activation(var);
  if (activation && var.shape().rank() < 4) {
    return {add_dense(form_of(in[0]), *activation)};
  }
  return source_units(var);  // Part of what stays fixed.
}

GraphReader::Units GraphReader::units_of(const Var& var) {
  const auto known = units_.find(var.node_id());
  if (known != units_.end()) return known->second;
  Units made = make_units(var);
  units_.emplace(var.node_id(), made);
  return made;
}

void GraphReader::read_output(const Var& output) {
  Var top = output;
  const auto skip = [&] {
    return top.operation() == "dropout" || top.operation() == "detached" ||
           (top.operation() == "mul" &&
            is_scalar_weight(graph_.inputs_of(top)[1]) &&
            graph_.inputs_of(top)[1].value().item() == 1);
  };
  while (skip()) top = graph_.inputs_of(top)[0];
  Loss head = Loss::MeanSquared;
  if (is_softmax_of_rows(top)) {
    head = Loss::CrossEntropy;
    top = graph_.inputs_of(top)[0];
  }
  std::vector<Var> parts = {top};
  if (top.operation() == "concat" && is_along_columns(top)) {
    parts = graph_.inputs_of(top);
  }
  if (std::ranges::all_of(parts, [](const Var& part) {
        return part.operation() == "sigmoid";
      })) {
    head = Loss::BinaryCrossEntropy;
    for (Var& part : parts) part = graph_.inputs_of(part)[0];
  }
  for (const Var& part : parts) {
    const LinearForm form = form_of(part);
    const UnitId id = network.add_output(
        static_cast<std::uint32_t>(form.columns()), Activation::Identity);
    fill_edges(id, form);
    std::ranges::copy(form.bias.data(),
                      network.own_parameters(network.node(id)).begin());
  }
  network.set_head(head);
}

}  // namespace lamarck::evolution
