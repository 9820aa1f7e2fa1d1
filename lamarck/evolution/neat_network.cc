#include "lamarck/evolution/neat_network.h"

#include <algorithm>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/steep_sigmoid.h"

namespace lamarck::evolution {
namespace {

constexpr std::size_t kLanes = 4;

double activate(NodeActivation activation, double x) {
  switch (activation) {
    case NodeActivation::SteepSigmoid:
      return steep_sigmoid(x);
    case NodeActivation::Tanh:
      return 1 - 2 / (1 + quick_exp(2 * x));
    case NodeActivation::Relu:
      return x > 0 ? x : 0;
    case NodeActivation::Identity:
      return x;
  }
  return x;
}

}  // namespace

void FlatNetwork::load(const Genome& genome) {
  const auto nodes = genome.nodes();
  inputs_ = genome.input_count();
  outputs_ = genome.output_count();
  values_.assign(nodes.size(), 0.0);
  activations_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeGene& node = nodes[i];
    if (node.id >= places_.size()) places_.resize(node.id + 64);
    places_[node.id] = static_cast<std::uint32_t>(i);
    activations_[i] = node.activation;
  }
  first_output_ = places_[1 + inputs_];
  count_edges(genome);
  place_edges(genome);
}

// Leaves in ends_ where each node's edges begin.
void FlatNetwork::count_edges(const Genome& genome) {
  ends_.assign(values_.size(), 0);
  for (const ConnectionGene& gene : genome.connections()) {
    if (gene.enabled) ++ends_[places_[gene.to]];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& end : ends_) {
    const std::uint32_t count = end;
    end = sum;
    sum += count;
  }
  edges_.resize(sum);
}

void FlatNetwork::place_edges(const Genome& genome) {
  for (const ConnectionGene& gene : genome.connections()) {
    if (!gene.enabled) continue;
    edges_[ends_[places_[gene.to]]++] = {.from = places_[gene.from],
                                         .weight = double{gene.weight}};
  }
}

void FlatNetwork::reset() { std::fill(values_.begin(), values_.end(), 0.0); }

std::span<const double> FlatNetwork::step(std::span<const double> inputs) {
  REQUIRE(inputs.size() == inputs_,
          "FlatNetwork::step: one number for each input");
  values_[0] = 1;
  std::copy(inputs.begin(), inputs.end(), values_.begin() + 1);
  double* values = values_.data();
  const Edge* edge = edges_.data();
  for (std::size_t i = 1 + inputs_; i < values_.size(); ++i) {
    const Edge* end = edges_.data() + ends_[i];
    double sum = 0;
    for (; edge < end; ++edge) sum += edge->weight * values[edge->from];
    values[i] = activate(activations_[i], sum);
  }
  return outputs();
}

void FlatNetwork::compute_lanes() {
  double* values = lanes_.data();
  const Edge* edge = edges_.data();
  for (std::size_t i = 1 + inputs_; i < values_.size(); ++i) {
    const Edge* end = edges_.data() + ends_[i];
    double sums[kLanes] = {};
    for (; edge < end; ++edge) {
      const double* from = values + kLanes * edge->from;
      for (std::size_t k = 0; k < kLanes; ++k)
        sums[k] += edge->weight * from[k];
    }
    double* to = values + kLanes * i;
    if (activations_[i] == NodeActivation::SteepSigmoid) {
      for (std::size_t k = 0; k < kLanes; ++k) to[k] = steep_sigmoid(sums[k]);
    } else {
      for (std::size_t k = 0; k < kLanes; ++k) {
        to[k] = activate(activations_[i], sums[k]);
      }
    }
  }
}

void FlatNetwork::evaluate_cases(std::span<const double> inputs,
                                 std::span<double> outputs) {
  const std::size_t cases = outputs.size() / outputs_;
  REQUIRE(
      outputs.size() == cases * outputs_ && inputs.size() == cases * inputs_,
      "FlatNetwork::evaluate_cases: as many cases in as out");
  for (std::size_t first = 0; first < cases; first += kLanes) {
    const std::size_t used = std::min(kLanes, cases - first);
    lanes_.assign(kLanes * values_.size(), 0.0);
    std::fill_n(lanes_.begin(), kLanes, 1.0);
    for (std::size_t i = 0; i < inputs_; ++i) {
      for (std::size_t k = 0; k < used; ++k) {
        lanes_[kLanes * (1 + i) + k] = inputs[(first + k) * inputs_ + i];
      }
    }
    compute_lanes();
    for (std::size_t o = 0; o < outputs_; ++o) {
      for (std::size_t k = 0; k < used; ++k) {
        outputs[(first + k) * outputs_ + o] =
            lanes_[kLanes * (first_output_ + o) + k];
      }
    }
  }
  reset();
}

}  // namespace lamarck::evolution
