#include "lamarck/neat/neat_conversion.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/neat/steep_sigmoid.h"

namespace lamarck::neat {
namespace {

using evolution::Activation;
using evolution::Network;
using evolution::NetworkEdge;
using evolution::NetworkNode;
using evolution::Role;
using evolution::UnitId;

Activation network_activation(NodeActivation activation) {
  switch (activation) {
    case NodeActivation::SteepSigmoid:
      return Activation::Sigmoid;
    case NodeActivation::Tanh:
      return Activation::Tanh;
    case NodeActivation::Relu:
      return Activation::Relu;
    case NodeActivation::Identity:
      return Activation::Identity;
  }
  return Activation::Identity;
}

float slope_of(NodeActivation activation) {
  return activation == NodeActivation::SteepSigmoid
             ? static_cast<float>(kSigmoidSlope)
             : 1.0f;
}

// ---- Genome to network

class NetworkMaker {
 public:
  explicit NetworkMaker(const Genome& genome) : genome_(genome) {}

  Network run() {
    has_sigmoid_head_ =
        std::ranges::all_of(genome_.nodes(), [](const NodeGene& node) {
          return node.kind != NodeKind::Output ||
                 node.activation == NodeActivation::SteepSigmoid;
        });
    for (const NodeGene& node : genome_.nodes()) add_node(node);
    network_.set_head(has_sigmoid_head_ ? evolution::Loss::BinaryCrossEntropy
                                        : evolution::Loss::MeanSquared);
    for (const ConnectionGene& gene : genome_.connections()) {
      if (gene.enabled) add_edges(gene);
    }
    network_.check();
    return std::move(network_);
  }

 private:
  void add_node(const NodeGene& node) {
    if (node.kind == NodeKind::Bias) return;
    if (node.kind == NodeKind::Input) {
      values_[node.id] = network_.add_input({});
    } else if (node.kind == NodeKind::Hidden) {
      values_[node.id] = add_hidden(node);
      targets_[node.id] = {values_[node.id]};
    } else {
      add_output(node);
    }
  }

  UnitId add_hidden(const NodeGene& node) {
    NetworkNode like;
    like.activation = network_activation(node.activation);
    return network_.add_hidden(like);
  }

  // Edges of a network never start at an output. So an output that other nodes
  // read in the same step, or whose activation the head does not have, gets a
  // hidden node of the same value.
  void add_output(const NodeGene& node) {
    const UnitId output = network_.add_output(1, Activation::Identity);
    const bool fits_head =
        has_sigmoid_head_ || node.activation == NodeActivation::Identity;
    const bool is_read = std::ranges::any_of(
        genome_.connections(), [&](const ConnectionGene& gene) {
          return gene.enabled && gene.from == node.id &&
                 !genome_.is_recurrent(gene);
        });
    values_[node.id] = output;
    targets_[node.id] = {output};
    if (fits_head && !is_read) return;
    const UnitId hidden = add_hidden(node);
    values_[node.id] = hidden;
    if (has_sigmoid_head_) {
      targets_[node.id] = {hidden, output};  // Both compute the same.
      return;
    }
    targets_[node.id] = {hidden};
    network_.add_edge(hidden, output);
    network_.weights(network_.edge(hidden, output, false))[0] = 1;
  }

  void add_edges(const ConnectionGene& gene) {
    const float weight =
        gene.weight * slope_of(genome_.node(gene.to).activation);
    for (const UnitId to : targets_.at(gene.to)) {
      if (gene.from == 0) {
        network_.own_parameters(network_.node(to))[0] += weight;
        continue;
      }
      const UnitId from = values_.at(gene.from);
      const bool recurrent = genome_.is_recurrent(gene);
      if (recurrent) {
        network_.add_recurrent_edge(from, to);
      } else {
        network_.add_edge(from, to);
      }
      network_.weights(network_.edge(from, to, recurrent))[0] = weight;
    }
  }

  const Genome& genome_;
  Network network_;
  bool has_sigmoid_head_ = false;
  std::map<NeatNodeId, UnitId> values_;  // Where a node's value is.
  // The nodes that compute the value of a node from its inputs.
  std::map<NeatNodeId, std::vector<UnitId>> targets_;
};

// ---- Network to genome

Error unsupported(const std::string& what) {
  return Error(ErrorCode::Unsupported, "to_genome: " + what + ".");
}

Result<NodeActivation> genome_activation(Activation activation) {
  switch (activation) {
    case Activation::Sigmoid:
      return NodeActivation::SteepSigmoid;
    case Activation::Tanh:
      return NodeActivation::Tanh;
    case Activation::Relu:
      return NodeActivation::Relu;
    case Activation::Identity:
      return NodeActivation::Identity;
    case Activation::LeakyRelu:
      break;
  }
  return unsupported(
      "the activations must be sigmoid, tanh, relu or identity, got "
      "leaky_relu");
}

Result<void> check_convertible(const Network& network) {
  if (!network.has_only_neurons()) {
    return unsupported(
        "the network must consist of single neurons, got layers or cells");
  }
  if (network.head() == evolution::Loss::CrossEntropy) {
    return unsupported(
        "the outputs must be numbers or sigmoids, got a softmax over all of "
        "them");
  }
  for (const NetworkNode& node : network.nodes()) {
    if (node.aggregation != evolution::Aggregation::Sum) {
      return unsupported("the nodes must add their inputs, got aggregation '" +
                         std::string(name_of(node.aggregation)) + "'");
    }
  }
  return {};
}

class GenomeMaker {
 public:
  GenomeMaker(const Network& network, InnovationTracker& tracker)
      : network_(network), tracker_(tracker) {}

  Result<Genome> run() {
    const std::size_t inputs = network_.input_width();
    genome_ = Genome::minimal(inputs, network_.output_width(), tracker_);
    // The connections of a minimal genome that the network lacks stay, so that
    // its innovations stay aligned with those of other genomes.
    for (const ConnectionGene& gene : genome_.connections()) {
      unused_.push_back(gene.innovation);
    }
    RETURN_IF_ERROR(add_nodes());
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) {
        set(0, node, network_.own_parameters(node)[0]);
      }
    }
    for (const NetworkEdge& edge : network_.edges()) {
      RETURN_IF_ERROR(add(edge));
    }
    for (const Innovation innovation : unused_) {
      genome_.set_enabled(innovation, false);
    }
    return std::move(genome_);
  }

 private:
  Result<void> add_nodes() {
    NeatNodeId next_input = 1;
    auto next_output = static_cast<NeatNodeId>(1 + network_.input_width());
    std::size_t hidden = 0;
    const auto count = static_cast<double>(network_.hidden_count() + 1);
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role == Role::Input) {
        ids_[node.id] = next_input++;
        continue;
      }
      ASSIGN_OR_RETURN(const NodeActivation activation,
                       genome_activation(node.activation));
      if (node.role == Role::Hidden) {
        ids_[node.id] = genome_.add_hidden(
            activation, static_cast<double>(++hidden) / count, tracker_);
      } else {
        ids_[node.id] = next_output++;
        genome_.set_activation(ids_[node.id], activation);
      }
    }
    return {};
  }

  Result<void> add(const NetworkEdge& edge) {
    const NodeGene& from = genome_.node(ids_.at(edge.from));
    const NodeGene& to = genome_.node(ids_.at(edge.to));
    if (edge.recurrent == comes_before(from, to)) {
      return unsupported(
          "recurrent edges must lead from a node to itself or to an earlier "
          "one, got one from node " +
          std::to_string(edge.from) + " to node " + std::to_string(edge.to));
    }
    set(from.id, network_.node(edge.to), network_.weights(edge)[0]);
    return {};
  }

  void set(NeatNodeId from, const NetworkNode& target, float weight) {
    const NeatNodeId to = ids_.at(target.id);
    const float own = weight / slope_of(genome_.node(to).activation);
    const Innovation innovation = tracker_.connection(from, to);
    if (genome_.has_connection(from, to)) {
      genome_.set_weight(innovation, own);
      std::erase(unused_, innovation);
    } else {
      genome_.add_connection(from, to, own, tracker_);
    }
  }

  const Network& network_;
  InnovationTracker& tracker_;
  Genome genome_;
  std::map<UnitId, NeatNodeId> ids_;
  std::vector<Innovation> unused_;
};

}  // namespace

Network to_network(const Genome& genome) { return NetworkMaker(genome).run(); }

Result<Genome> to_genome(const Network& network, InnovationTracker& tracker) {
  RETURN_IF_ERROR(check_convertible(network));
  return GenomeMaker(network, tracker).run();
}

}  // namespace lamarck::neat
