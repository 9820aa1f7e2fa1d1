#include "lamarck/evolution/network_graph.h"

#include <map>
#include <optional>

#include "lamarck/base/ensure.h"

namespace lamarck::evolution {
namespace {

std::string node_name(const NetworkNode& node, const char* part) {
  return "node_" + std::to_string(node.id) + part;
}

std::vector<const NetworkEdge*> edges_to(const Network& network, UnitId id) {
  std::vector<const NetworkEdge*> edges;
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.to == id) edges.push_back(&edge);
  }
  return edges;
}

// The network's indices of the numbers in a node's weight parameter, which
// joins the weights of all incoming edges: matrices are stacked by rows,
// kernels along their input channels.
std::vector<std::size_t> weight_places(const Network& network,
                                       const NetworkNode& node) {
  std::vector<std::size_t> places;
  const auto edges = edges_to(network, node.id);
  if (node.cell != Cell::Conv) {
    for (const NetworkEdge* edge : edges) {
      for (std::size_t i = 0; i < edge->count; ++i) {
        places.push_back(edge->begin + i);
      }
    }
    return places;
  }
  // [to, all sources, kernel, kernel]
  for (std::size_t to = 0; to < node.extent.channels; ++to) {
    for (const NetworkEdge* edge : edges) {
      const std::size_t block = edge->count / node.extent.channels;
      for (std::size_t i = 0; i < block; ++i) {
        places.push_back(edge->begin + to * block + i);
      }
    }
  }
  return places;
}

std::vector<std::size_t> places_from(std::size_t begin, std::size_t count) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = begin + i;
  return places;
}

// One parameter of a node, and the network's indices of its numbers.
struct ParameterPart {
  const char* name;
  Shape shape;
  std::vector<std::size_t> places;
};

Shape weight_shape(const NetworkNode& node, std::size_t count) {
  const auto size = static_cast<std::int64_t>(count);
  const auto gates = static_cast<std::int64_t>(node.gates());
  if (node.cell != Cell::Conv) return {size / gates, gates};
  const std::int64_t kernel = node.kernel;
  return {gates, size / gates / kernel / kernel, kernel, kernel};
}

std::vector<ParameterPart> make_parts(const Network& network,
                                      const NetworkNode& node) {
  std::vector<ParameterPart> parts;
  const auto weights = weight_places(network, node);
  if (!weights.empty()) {
    parts.push_back({".weight", weight_shape(node, weights.size()), weights});
  }
  const auto gates = static_cast<std::int64_t>(node.gates());
  const std::size_t matrix = node.own_count() - node.gates();
  if (matrix > 0) {
    parts.push_back({".state",
                     {static_cast<std::int64_t>(node.width()), gates},
                     places_from(node.begin, matrix)});
  }
  parts.push_back(
      {".bias", {gates}, places_from(node.begin + matrix, node.gates())});
  return parts;
}

// Builds the computation of a network inside a graph that already has its
// parameters.
class GraphBuilder {
 public:
  GraphBuilder(const Network& network, const Var& input,
               const NetworkNames& names)
      : network_(network),
        graph_(input.graph()),
        input_(input),
        names_(names) {}

  NetworkVars build() {
    add_inputs();
    add_memories();
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) add_node(node);
    }
    // Memories are read above before their sources exist, so the recurrent
    // edges come last.
    for (const auto& [id, memory] : memories_) {
      graph_.add_recurrent_edge(flat_value(id), memory);
    }
    for (const auto& [from, to] : cell_states_) {
      graph_.add_recurrent_edge(from, to);
    }
    return outputs();
  }

 private:
  void add_inputs() {
    std::int64_t begin = 0;
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) continue;
      const auto width = static_cast<std::int64_t>(node.width());
      const bool is_all = node.width() == network_.input_width();
      Var value = is_all ? input_ : input_.slice(1, begin, begin + width);
      if (node.extent.is_image()) value = as_image(value, node.extent);
      values_.emplace(node.id, value);
      begin += width;
    }
  }

  static Var as_image(const Var& value, const Extent& extent) {
    return value.reshape({-1, extent.channels, extent.height, extent.width});
  }

  Var memory_of(const NetworkNode& node, const char* part) {
    return graph_.memory(
        Tensor::zeros({1, static_cast<std::int64_t>(node.width())}),
        names_.memories + node_name(node, part));
  }

  void add_memories() {
    for (const NetworkNode& node : network_.nodes()) {
      bool is_read = node.cell == Cell::Lstm || node.cell == Cell::Gru;
      for (const NetworkEdge& edge : network_.edges()) {
        is_read |= edge.recurrent && edge.from == node.id;
      }
      if (!is_read) continue;
      const Var memory = memory_of(node, ".before");
      memories_.emplace(node.id, memory);
      remembered_.emplace(node.id, memory + column_of_zeros());
    }
  }

  // A memory starts with a single row. Adding this [batch, 1] column broadcasts
  // it to one row per row of the input.
  Var column_of_zeros() {
    if (!zeros_) zeros_ = input_.slice(1, 0, 1) * 0.0f;
    return *zeros_;
  }

  Var parameter(const NetworkNode& node, const char* part) const {
    return graph_.named(names_.parameters + node_name(node, part));
  }

  // The value of a convolution has the rank of an image even if it is a single
  // pixel.
  static bool gives_image(const NetworkNode& node) {
    return node.cell == Cell::Conv || node.extent.is_image();
  }
  Var flat_value(UnitId id) const {
    const Var& value = values_.at(id);
    return gives_image(network_.node(id)) ? value.flatten() : value;
  }

  // The value that an edge carries, as a vector per row.
  Var carried(const NetworkEdge& edge) {
    return edge.recurrent ? remembered_.at(edge.from) : flat_value(edge.from);
  }

  // Whether the edges carry exactly the inputs in order; then joining them
  // would rebuild input_.
  bool reads_all_inputs(const std::vector<const NetworkEdge*>& edges) const {
    const auto inputs = network_.nodes_of(Role::Input);
    if (edges.size() != inputs.size()) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (edges[i]->recurrent || edges[i]->from != inputs[i]) return false;
    }
    return true;
  }

  Var joined(const std::vector<const NetworkEdge*>& edges) {
    if (reads_all_inputs(edges)) return input_;
    std::vector<Var> parts;
    for (const NetworkEdge* edge : edges) parts.push_back(carried(*edge));
    return parts.size() == 1 ? parts[0] : concat(parts, 1);
  }

  // The sum over all edges, as a single matrix product of the joined sources
  // and the stacked weights. Empty if there is no edge.
  std::optional<Var> summed(const NetworkNode& node) {
    const auto edges = edges_to(network_, node.id);
    if (edges.empty()) return std::nullopt;
    return joined(edges).matmul(parameter(node, ".weight"));
  }

  // One matrix product per edge, combined by the node's aggregation.
  Var aggregated(const NetworkNode& node) {
    const auto edges = edges_to(network_, node.id);
    const Var weight = parameter(node, ".weight");
    std::vector<Var> parts;
    std::int64_t row = 0;
    for (const NetworkEdge* edge : edges) {
      const std::int64_t rows =
          static_cast<std::int64_t>(edge->count / node.gates());
      const Var part = carried(*edge).matmul(weight.slice(0, row, row + rows));
      row += rows;
      parts.push_back(part);
    }
    switch (node.aggregation) {
      case Aggregation::Mean:
        return total(parts) * (1.0f / static_cast<float>(parts.size()));
      case Aggregation::Max: {
        Var largest = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i) {
          largest = binary("maximum", largest, parts[i]);
        }
        return largest;
      }
      case Aggregation::Product: {
        Var product = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i) {
          product = product * parts[i];
        }
        return product;
      }
      case Aggregation::Sum:
        break;
    }
    return total(parts);
  }

  // Zeros for each row, for nodes without incoming edges. A product with the
  // input gives them its number of rows.
  Var nothing(std::size_t width) {
    const Var row_of_zeros = graph_.constant(
        Tensor::zeros({static_cast<std::int64_t>(network_.input_width()),
                       static_cast<std::int64_t>(width)}));
    return input_.matmul(row_of_zeros);
  }

  void add_dense(const NetworkNode& node) {
    const bool is_sum = node.aggregation == Aggregation::Sum;
    const bool is_fed = !edges_to(network_, node.id).empty();
    const Var arrived = !is_fed  ? nothing(node.width())
                        : is_sum ? *summed(node)
                                 : aggregated(node);
    const Var before = arrived + parameter(node, ".bias");
    befores_.emplace(node.id, before);
    values_.emplace(node.id, find_activation(node.activation).apply(before));
  }

  void add_conv(const NetworkNode& node) {
    std::vector<Var> images;
    for (const NetworkEdge* edge : edges_to(network_, node.id)) {
      const NetworkNode& from = network_.node(edge->from);
      const Var& value = values_.at(edge->from);
      images.push_back(gives_image(from) ? value
                                         : as_image(value, from.extent));
    }
    const Var image = images.size() == 1 ? images[0] : concat(images, 1);
    const std::int64_t padding = node.kernel / 2;
    const Var sum =
        image.conv2d(parameter(node, ".weight"), parameter(node, ".bias"),
                     {.padding = padding});
    const Var value = find_activation(node.activation).apply(sum);
    values_.emplace(node.id,
                    node.pool > 1 ? value.max_pool2d(node.pool) : value);
  }

  Var state_product(const NetworkNode& node) {
    return remembered_.at(node.id).matmul(parameter(node, ".state"));
  }

  // Gates: input, forget, candidate, output.
  void add_lstm(const NetworkNode& node) {
    const auto width = static_cast<std::int64_t>(node.width());
    const std::optional<Var> arrived = summed(node);
    const Var before = state_product(node);
    const Var gates =
        (arrived ? *arrived + before : before) + parameter(node, ".bias");
    const auto gate = [&](std::int64_t i) {
      return gates.slice(1, i * width, (i + 1) * width);
    };
    const Var last = memory_of(node, ".cell");
    const Var cell =
        gate(1).sigmoid() * last + gate(0).sigmoid() * gate(2).tanh();
    cell_states_.emplace_back(cell, last);
    values_.emplace(node.id, gate(3).sigmoid() * cell.tanh());
  }

  // Gates: reset, update, candidate. The reset gate applies after the matrix
  // product, as in cuDNN and PyTorch.
  void add_gru(const NetworkNode& node) {
    const auto width = static_cast<std::int64_t>(node.width());
    const std::optional<Var> fed = summed(node);
    const Var before = state_product(node);
    const Var arrived = (fed ? *fed : before * 0.0f) + parameter(node, ".bias");
    const auto part = [&](const Var& value, std::int64_t i) {
      return value.slice(1, i * width, (i + 1) * width);
    };
    const Var reset = (part(arrived, 0) + part(before, 0)).sigmoid();
    const Var update = (part(arrived, 1) + part(before, 1)).sigmoid();
    const Var candidate = (part(arrived, 2) + reset * part(before, 2)).tanh();
    values_.emplace(node.id,
                    candidate + update * (remembered_.at(node.id) - candidate));
  }

  void add_node(const NetworkNode& node) {
    switch (node.cell) {
      case Cell::Dense:
        return add_dense(node);
      case Cell::Conv:
        return add_conv(node);
      case Cell::Lstm:
        return add_lstm(node);
      case Cell::Gru:
        return add_gru(node);
    }
  }

  NetworkVars outputs() {
    std::vector<Var> befores;
    std::vector<Var> values;
    for (const UnitId id : network_.nodes_of(Role::Output)) {
      befores.push_back(befores_.at(id));
      values.push_back(values_.at(id));
    }
    const bool is_one = befores.size() == 1;
    const Var logits = is_one ? befores[0] : concat(befores, 1);
    const Var output = network_.head() == Loss::CrossEntropy ? logits.softmax()
                       : is_one                              ? values[0]
                                : concat(values, 1);
    return {.logits = logits, .output = output};
  }

  const Network& network_;
  Graph graph_;
  Var input_;
  NetworkNames names_;
  std::map<UnitId, Var> values_;
  std::map<UnitId, Var> befores_;     // Dense nodes before the activation.
  std::map<UnitId, Var> memories_;    // Values at the previous step.
  std::map<UnitId, Var> remembered_;  // Memories with one row per input row.
  std::optional<Var> zeros_;          // See column_of_zeros.
  std::vector<std::pair<Var, Var>> cell_states_;  // LSTM: new and previous.
};

}  // namespace

std::vector<Var> add_parameters(const Graph& graph, const Network& network,
                                const std::string& prefix) {
  std::vector<Var> made;
  for (const NetworkNode& node : network.nodes()) {
    if (node.role == Role::Input) continue;
    for (const ParameterPart& part : make_parts(network, node)) {
      const Shape shape = part.shape;
      Tensor values = Tensor::uninitialized(shape);
      float* to = values.begin_of_data();
      for (const std::size_t place : part.places) {
        *to++ = network.parameters().values[place];
      }
      made.push_back(graph.parameter(shape, Init::zeros(),
                                     prefix + node_name(node, part.name)));
      made.back().set_value(values);
    }
  }
  return made;
}

NetworkVars add_network(const Network& network, const Var& input,
                        const NetworkNames& names) {
  return GraphBuilder(network, input, names).build();
}

Graph to_graph(const Network& network) {
  Graph graph;
  const auto width = static_cast<std::int64_t>(network.input_width());
  const Var input = graph.input_named(Tensor::zeros({1, width}), "input");
  add_parameters(graph, network, "");
  const auto [logits, output] = add_network(network, input, {});
  logits.set_name("logits");
  if (output.node_id() == logits.node_id()) {
    // A value has one name, so "output" needs a node of its own.
    (output * 1.0f).set_name("output");
  } else {
    output.set_name("output");
  }
  return graph;
}

std::vector<std::size_t> parameter_places(const Network& network) {
  std::vector<std::size_t> places;
  for (const NetworkNode& node : network.nodes()) {
    if (node.role == Role::Input) continue;
    for (const ParameterPart& part : make_parts(network, node)) {
      places.insert(places.end(), part.places.begin(), part.places.end());
    }
  }
  return places;
}

void take_weights(const Graph& graph, Network& network,
                  const std::string& prefix) {
  for (const NetworkNode& node : network.nodes()) {
    if (node.role == Role::Input) continue;
    for (const ParameterPart& part : make_parts(network, node)) {
      const Tensor value =
          graph.named(prefix + node_name(node, part.name)).value();
      REQUIRE(value.data().size() == part.places.size(),
              "take_weights: the graph must have the network's topology; {} "
              "must have {} numbers, got {}.",
              prefix + node_name(node, part.name), part.places.size(),
              value.data().size());
      const float* from = value.data().data();
      for (const std::size_t place : part.places) {
        network.parameters().values[place] = *from++;
      }
    }
  }
}

}  // namespace lamarck::evolution
