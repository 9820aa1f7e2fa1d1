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

// Where the weight parameter of a node finds its numbers.
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

class GraphBuilder {
 public:
  explicit GraphBuilder(const Network& network)
      : network_(network), input_(make_input()) {}

  Graph build() {
    add_inputs();
    add_memories();
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) add_node(node);
    }
    for (const auto& [id, memory] : memories_) {
      graph_.add_recurrent_edge(flat_value(id), memory);
    }
    for (const auto& [from, to] : cell_states_) {
      graph_.add_recurrent_edge(from, to);
    }
    add_outputs();
    return graph_;
  }

 private:
  Var make_input() {
    const auto width = static_cast<std::int64_t>(network_.input_width());
    return graph_.input_named(Tensor::zeros({1, width}), "input");
  }

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
        node_name(node, part));
  }

  void add_memories() {
    for (const NetworkNode& node : network_.nodes()) {
      bool is_read = node.cell == Cell::Lstm || node.cell == Cell::Gru;
      for (const NetworkEdge& edge : network_.edges()) {
        is_read |= edge.recurrent && edge.from == node.id;
      }
      if (is_read) memories_.emplace(node.id, memory_of(node, ".before"));
    }
  }

  Var parameter(const Shape& shape, const std::string& name,
                const std::vector<std::size_t>& places) {
    Tensor values = Tensor::uninitialized(shape);
    float* to = values.begin_of_data();
    for (const std::size_t place : places) {
      *to++ = network_.parameters().values[place];
    }
    const Var made = graph_.parameter(shape, Init::zeros(), name);
    made.set_value(values);
    return made;
  }

  static std::vector<std::size_t> range(std::size_t begin, std::size_t count) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = begin + i;
    return places;
  }

  Var bias_of(const NetworkNode& node) {
    const std::size_t matrix = node.own_count() - node.gates();
    return parameter({static_cast<std::int64_t>(node.gates())},
                     node_name(node, ".bias"),
                     range(node.begin + matrix, node.gates()));
  }

  Var flat_value(UnitId id) const {
    const NetworkNode& node = network_.node(id);
    const bool is_flat = node.cell != Cell::Conv && !node.extent.is_image();
    return is_flat ? values_.at(id) : values_.at(id).flatten();
  }

  // A memory begins with one row for all, so it is spread over the batch.
  Var remembered(UnitId id) {
    const auto found = spread_memories_.find(id);
    if (found != spread_memories_.end()) return found->second;
    const Var spread = memories_.at(id) + nothing(network_.node(id).width());
    return spread_memories_.emplace(id, spread).first->second;
  }

  // What an edge carries, as a vector for each row.
  Var carried(const NetworkEdge& edge) {
    return edge.recurrent ? remembered(edge.from) : flat_value(edge.from);
  }

  // Whether the edges carry exactly the inputs in their order.
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

  Var weight_of(const NetworkNode& node) {
    const auto places = weight_places(network_, node);
    const auto gates = static_cast<std::int64_t>(node.gates());
    return parameter({static_cast<std::int64_t>(places.size()) / gates, gates},
                     node_name(node, ".weight"), places);
  }

  // The product with the weights, summed over the edges.
  std::optional<Var> summed(const NetworkNode& node) {
    const auto edges = edges_to(network_, node.id);
    if (edges.empty()) return std::nullopt;
    return joined(edges).matmul(weight_of(node));
  }

  // Of each number of a row, whatever the number of rows.
  static Var largest(const std::vector<Var>& parts, std::int64_t width) {
    std::vector<Var> rows;
    for (const Var& part : parts) rows.push_back(part.reshape({-1, 1, width}));
    return (rows.size() == 1 ? rows[0] : concat(rows, 1)).max(1);
  }

  Var aggregated(const NetworkNode& node) {
    const auto edges = edges_to(network_, node.id);
    const Var weight = weight_of(node);
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
      case Aggregation::Max:
        return largest(parts, static_cast<std::int64_t>(node.gates()));
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

  static Var activated(const Var& value, Activation activation) {
    switch (activation) {
      case Activation::Tanh:
        return value.tanh();
      case Activation::Sigmoid:
        return value.sigmoid();
      case Activation::Relu:
        return value.relu();
      case Activation::LeakyRelu:
        return value.leaky_relu();
      case Activation::Identity:
        break;
    }
    return value;
  }

  // Zeros for each row, for nodes that nothing reaches.
  Var nothing(std::size_t width) {
    const Var row_of_zeros =
        graph_.constant(Tensor::zeros({1, static_cast<std::int64_t>(width)}));
    return input_.slice(1, 0, 1) * row_of_zeros;
  }

  void add_dense(const NetworkNode& node) {
    const bool is_sum = node.aggregation == Aggregation::Sum;
    const bool is_fed = !edges_to(network_, node.id).empty();
    const Var arrived = !is_fed  ? nothing(node.width())
                        : is_sum ? *summed(node)
                                 : aggregated(node);
    const Var before = arrived + bias_of(node);
    befores_.emplace(node.id, before);
    values_.emplace(node.id, activated(before, node.activation));
  }

  void add_conv(const NetworkNode& node) {
    std::vector<Var> images;
    for (const NetworkEdge* edge : edges_to(network_, node.id)) {
      const NetworkNode& from = network_.node(edge->from);
      const bool is_image = from.cell == Cell::Conv || from.extent.is_image();
      const Var& value = values_.at(edge->from);
      images.push_back(is_image ? value : as_image(value, from.extent));
    }
    const Var image = images.size() == 1 ? images[0] : concat(images, 1);
    const auto places = weight_places(network_, node);
    const auto channels = static_cast<std::int64_t>(node.extent.channels);
    const std::int64_t kernel = node.kernel;
    const std::int64_t from =
        static_cast<std::int64_t>(places.size()) / channels / kernel / kernel;
    const Var weight = parameter({channels, from, kernel, kernel},
                                 node_name(node, ".weight"), places);
    const Var value =
        activated(image.conv2d(weight, bias_of(node), {.padding = kernel / 2}),
                  node.activation);
    values_.emplace(node.id,
                    node.pool > 1 ? value.max_pool2d(node.pool) : value);
  }

  Var state_product(const NetworkNode& node) {
    const auto width = static_cast<std::int64_t>(node.width());
    const Var state =
        parameter({width, static_cast<std::int64_t>(node.gates())},
                  node_name(node, ".state"),
                  range(node.begin, node.own_count() - node.gates()));
    const bool is_fed = !edges_to(network_, node.id).empty();
    const Var last = is_fed ? memories_.at(node.id) : remembered(node.id);
    return last.matmul(state);
  }

  void add_lstm(const NetworkNode& node) {
    const auto width = static_cast<std::int64_t>(node.width());
    const std::optional<Var> arrived = summed(node);
    const Var before = state_product(node);
    const Var gates = (arrived ? *arrived + before : before) + bias_of(node);
    const auto gate = [&](std::int64_t i) {
      return gates.slice(1, i * width, (i + 1) * width);
    };
    const Var last = memory_of(node, ".cell");
    const Var cell =
        gate(1).sigmoid() * last + gate(0).sigmoid() * gate(2).tanh();
    cell_states_.emplace_back(cell, last);
    values_.emplace(node.id, gate(3).sigmoid() * cell.tanh());
  }

  void add_gru(const NetworkNode& node) {
    const auto width = static_cast<std::int64_t>(node.width());
    const std::optional<Var> fed = summed(node);
    const Var before = state_product(node);
    const Var arrived =
        fed ? *fed + bias_of(node) : before * 0.0f + bias_of(node);
    const auto part = [&](const Var& value, std::int64_t i) {
      return value.slice(1, i * width, (i + 1) * width);
    };
    const Var reset = (part(arrived, 0) + part(before, 0)).sigmoid();
    const Var keep = (part(arrived, 1) + part(before, 1)).sigmoid();
    const Var fresh = (part(arrived, 2) + reset * part(before, 2)).tanh();
    values_.emplace(node.id, fresh + keep * (memories_.at(node.id) - fresh));
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

  void add_outputs() {
    std::vector<Var> befores;
    std::vector<Var> values;
    for (const UnitId id : network_.nodes_of(Role::Output)) {
      befores.push_back(befores_.at(id));
      values.push_back(values_.at(id));
    }
    const bool is_one = befores.size() == 1;
    const Var logits = is_one ? befores[0] : concat(befores, 1);
    logits.set_name("logits");
    const Var output = network_.head() == Loss::CrossEntropy ? logits.softmax()
                       : is_one                              ? values[0]
                                : concat(values, 1);
    if (output.node_id() == logits.node_id()) {
      // A name of its own even where nothing is left to do.
      (output * 1.0f).set_name("output");
    } else {
      output.set_name("output");
    }
  }

  const Network& network_;
  Graph graph_;
  Var input_;
  std::map<UnitId, Var> values_;
  std::map<UnitId, Var> befores_;  // Of outputs and dense nodes.
  std::map<UnitId, Var> memories_;
  std::map<UnitId, Var> spread_memories_;
  std::vector<std::pair<Var, Var>> cell_states_;
};

}  // namespace

Graph to_graph(const Network& network) { return GraphBuilder(network).build(); }

std::vector<std::size_t> parameter_places(const Network& network) {
  std::vector<std::size_t> places;
  const auto add_range = [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(begin + i);
  };
  for (const NetworkNode& node : network.nodes()) {
    if (node.role == Role::Input) continue;
    const auto weights = weight_places(network, node);
    places.insert(places.end(), weights.begin(), weights.end());
    add_range(node.begin, node.own_count());
  }
  return places;
}

void take_weights(const Graph& graph, Network& network) {
  for (const NetworkNode& node : network.nodes()) {
    if (node.role == Role::Input) continue;
    const auto take = [&](const char* part,
                          const std::vector<std::size_t>& places) {
      if (places.empty()) return;
      const Tensor value = graph.named(node_name(node, part)).value();
      REQUIRE(value.data().size() == places.size(),
              "take_weights: the graph is of the same topology");
      const float* from = value.data().data();
      for (const std::size_t place : places) {
        network.parameters().values[place] = *from++;
      }
    };
    take(".weight", weight_places(network, node));
    std::vector<std::size_t> own(node.own_count());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = node.begin + i;
    const auto matrix = static_cast<std::ptrdiff_t>(own.size() - node.gates());
    take(".state", {own.begin(), own.begin() + matrix});
    take(".bias", {own.begin() + matrix, own.end()});
  }
}

}  // namespace lamarck::evolution
