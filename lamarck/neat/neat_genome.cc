#include "lamarck/neat/neat_genome.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"

namespace lamarck::neat {
namespace {

// Returns a key in the middle half between the ends, different for every id: a
// connection between two nodes with the same key could not be split into two
// forward connections. Multiples of the golden ratio spread the keys evenly.
double key_between(double from, double to, NeatNodeId id) {
  constexpr double kGolden = 0.6180339887498949;
  const double turns = kGolden * id;
  const double share = 0.25 + 0.5 * (turns - std::floor(turns));
  return from + (to - from) * share;
}

}  // namespace

NeatNodeId Genome::node_count(std::size_t inputs, std::size_t outputs) {
  return static_cast<NeatNodeId>(1 + inputs + outputs);
}

Genome Genome::minimal(std::size_t inputs, std::size_t outputs,
                       InnovationTracker& tracker) {
  REQUIRE(outputs > 0, "Genome::minimal: outputs must be at least 1, got {}.",
          outputs);
  const NeatNodeId first_output = node_count(inputs, 0);
  const NeatNodeId end = node_count(inputs, outputs);
  REQUIRE(tracker.node_count() >= end,
          "Genome::minimal: the tracker must start at node {} or later, after "
          "the inputs and outputs, got {}.",
          end, tracker.node_count());
  Genome genome;
  genome.inputs_ = inputs;
  genome.outputs_ = outputs;
  for (NeatNodeId id = 0; id < end; ++id) {
    const bool is_output = id >= first_output;
    genome.nodes_.push_back({.id = id,
                             .kind = is_output ? NodeKind::Output
                                     : id == 0 ? NodeKind::Bias
                                               : NodeKind::Input,
                             .order = is_output ? 1.0 : 0.0});
  }
  for (NeatNodeId to = first_output; to < end; ++to) {
    for (NeatNodeId from = 0; from < first_output; ++from) {
      genome.add_connection(from, to, 0, tracker);
    }
  }
  return genome;
}

Genome Genome::assemble(std::size_t inputs, std::size_t outputs,
                        std::vector<NodeGene> nodes,
                        const std::vector<ConnectionGene>& connections) {
  Genome genome;
  genome.inputs_ = inputs;
  genome.outputs_ = outputs;
  genome.nodes_ = std::move(nodes);
  for (const ConnectionGene& gene : connections) genome.insert_connection(gene);
  return genome;
}

std::size_t Genome::hidden_count() const {
  return nodes_.size() - std::min(nodes_.size(), 1 + inputs_ + outputs_);
}

std::size_t Genome::enabled_count() const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const ConnectionGene& gene) { return gene.enabled; }));
}

bool Genome::has_node(NeatNodeId id) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const NodeGene& gene) { return gene.id == id; });
}

const NodeGene& Genome::node(NeatNodeId id) const {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(),
                   [&](const NodeGene& gene) { return gene.id == id; });
  if (found == nodes_.end()) {
    throw LogicError(
        Error(ErrorCode::NotFound,
              "Genome::node: there is no node " + std::to_string(id) + ".",
              {{"kind", "node_not_found"}, {"node", std::to_string(id)}}));
  }
  return *found;
}

bool Genome::has_connection(NeatNodeId from, NeatNodeId to) const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [&](const ConnectionGene& gene) {
                       return gene.from == from && gene.to == to;
                     });
}

bool Genome::is_recurrent(const ConnectionGene& connection) const {
  return !comes_before(node(connection.from), node(connection.to));
}

std::size_t Genome::index_of(Innovation innovation, const char* where) const {
  const auto found =
      std::lower_bound(connections_.begin(), connections_.end(), innovation,
                       [](const ConnectionGene& gene, Innovation wanted) {
                         return gene.innovation < wanted;
                       });
  if (found == connections_.end() || found->innovation != innovation) {
    throw_invalid_innovation(where, innovation);
  }
  return static_cast<std::size_t>(found - connections_.begin());
}

const ConnectionGene& Genome::connection(Innovation innovation) const {
  return connections_[index_of(innovation, "Genome::connection")];
}

void Genome::set_weight(Innovation innovation, float weight) {
  connections_[index_of(innovation, "Genome::set_weight")].weight = weight;
}

void Genome::set_enabled(Innovation innovation, bool enabled) {
  connections_[index_of(innovation, "Genome::set_enabled")].enabled = enabled;
}

void Genome::set_activation(NeatNodeId id, NodeActivation activation) {
  const auto index = static_cast<std::size_t>(&node(id) - nodes_.data());
  nodes_[index].activation = activation;
}

void Genome::add_connection(NeatNodeId from, NeatNodeId to, float weight,
                            InnovationTracker& tracker) {
  node(from);  // Throws if there is no such node.
  const NodeKind kind = node(to).kind;
  REQUIRE(kind == NodeKind::Hidden || kind == NodeKind::Output,
          "Genome::add_connection: the target must be a hidden node or an "
          "output, got input or bias node {}.",
          to);
  if (has_connection(from, to)) {
    throw LogicError(Error(ErrorCode::AlreadyExists,
                           "Genome::add_connection: nodes " +
                               std::to_string(from) + " and " +
                               std::to_string(to) + " are already connected.",
                           {{"kind", "connection_exists"},
                            {"from", std::to_string(from)},
                            {"to", std::to_string(to)}}));
  }
  insert_connection({.innovation = tracker.connection(from, to),
                     .from = from,
                     .to = to,
                     .weight = weight});
}

void Genome::insert_connection(const ConnectionGene& gene) {
  const auto place =
      std::upper_bound(connections_.begin(), connections_.end(), gene,
                       [](const ConnectionGene& a, const ConnectionGene& b) {
                         return a.innovation < b.innovation;
                       });
  connections_.insert(place, gene);
  marks_ |= std::uint64_t{1} << (gene.innovation % 64);
}

NeatNodeId Genome::split_connection(Innovation innovation,
                                    InnovationTracker& tracker) {
  const std::size_t index = index_of(innovation, "Genome::split_connection");
  const ConnectionGene old = connections_[index];
  // A re-enabled connection may be split again, each time into a new node.
  std::size_t repetition = 0;
  while (has_node(tracker.split(innovation, repetition))) ++repetition;
  const NeatNodeId id = tracker.split(innovation, repetition);
  const NodeGene added = {
      .id = id,
      .order = key_between(node(old.from).order, node(old.to).order, id)};
  connections_[index].enabled = false;
  nodes_.insert(
      std::upper_bound(nodes_.begin(), nodes_.end(), added, comes_before),
      added);
  insert_connection({.innovation = tracker.connection(old.from, added.id),
                     .from = old.from,
                     .to = added.id,
                     .weight = 1});
  insert_connection({.innovation = tracker.connection(added.id, old.to),
                     .from = added.id,
                     .to = old.to,
                     .weight = old.weight});
  return added.id;
}

NeatNodeId Genome::add_hidden(NodeActivation activation, double order,
                              InnovationTracker& tracker) {
  REQUIRE(order > 0 && order < 1,
          "Genome::add_hidden: the order key must be between 0 and 1, got {}.",
          order);
  const NodeGene added = {
      .id = tracker.new_node(), .activation = activation, .order = order};
  nodes_.insert(
      std::upper_bound(nodes_.begin(), nodes_.end(), added, comes_before),
      added);
  return added.id;
}

Genome Genome::crossover(const Genome& a, const Genome& b,
                         const NeatOptions& options, Rng& rng) {
  Genome child;
  child.assign_crossover(a, b, options, rng);
  return child;
}

void Genome::assign_crossover(const Genome& a, const Genome& b,
                              const NeatOptions& options, Rng& rng) {
  REQUIRE(this != &a && this != &b,
          "Genome::assign_crossover: the child must not be one of its parents; "
          "assign to another genome.");
  const bool a_leads = a.fitness != b.fitness
                           ? a.fitness > b.fitness
                           : a.connections_.size() <= b.connections_.size();
  const Genome& other = a_leads ? b : a;
  *this = a_leads ? a : b;
  auto match = other.connections_.begin();
  for (ConnectionGene& gene : connections_) {
    while (match != other.connections_.end() &&
           match->innovation < gene.innovation) {
      ++match;
    }
    if (match == other.connections_.end()) return;
    if (match->innovation != gene.innovation) continue;
    const bool both = gene.enabled && match->enabled;
    // The top bit of a draw is a fair coin.
    if ((rng.bits() >> 63) != 0) gene.weight = match->weight;
    gene.enabled = both || !rng.chance(options.stays_disabled);
  }
}

double Genome::distance(const Genome& other, const NeatOptions& options) const {
  return distance_up_to(other, options, std::numeric_limits<double>::max());
}

bool Genome::is_near(const Genome& other, const NeatOptions& options,
                     double threshold) const {
  // Every mark that only one genome has stands for at least one gene without a
  // match, which gives a cheap lower bound of the distance.
  const double unmatched = std::popcount(marks_ ^ other.marks_);
  return std::min(options.excess_weight, options.disjoint_weight) * unmatched <
             threshold &&
         distance_up_to(other, options, threshold) < threshold;
}

// Returns the distance, or any value of at least `limit` as soon as the
// distance is known to reach it.
double Genome::distance_up_to(const Genome& other, const NeatOptions& options,
                              double limit) const {
  auto a = connections_.begin();
  auto b = other.connections_.begin();
  const auto a_end = connections_.end();
  const auto b_end = other.connections_.end();
  double disjoint = 0;
  double shared = 0;
  double difference = 0;
  while (a != a_end && b != b_end) {
    if (a->innovation == b->innovation) {
      difference += std::abs(double{a->weight} - double{b->weight});
      ++shared;
      ++a;
      ++b;
    } else {
      disjoint += options.disjoint_weight;
      if (disjoint >= limit) return disjoint;
      a->innovation < b->innovation ? ++a : ++b;
    }
  }
  const auto excess = static_cast<double>((a_end - a) + (b_end - b));
  const double mean = shared == 0 ? 0 : difference / shared;
  return options.excess_weight * excess + disjoint +
         options.difference_weight * mean;
}

}  // namespace lamarck::neat
