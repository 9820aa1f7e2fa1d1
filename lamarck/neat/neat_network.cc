#include "lamarck/neat/neat_network.h"

#include <algorithm>

#include "lamarck/base/ensure.h"
#include "lamarck/neat/neat_activation.h"

namespace lamarck::neat {

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

// Leaves the start of each node's edges in ends_; place_edges then advances it
// to their end. Together this is a counting sort by target.
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
          "FlatNetwork::step: expected {} inputs, got {}.", inputs_,
          inputs.size());
  values_[0] = 1;  // The bias.
  std::copy(inputs.begin(), inputs.end(), values_.begin() + 1);
  double* values = values_.data();
  const FlatEdge* edge = edges_.data();
  for (std::size_t i = 1 + inputs_; i < values_.size(); ++i) {
    const FlatEdge* end = edges_.data() + ends_[i];
    double sum = 0;
    for (; edge < end; ++edge) sum += edge->weight * values[edge->from];
    values[i] = activate(activations_[i], sum);
  }
  return outputs();
}

FlatView FlatNetwork::view() const {
  return {.first = 1 + inputs_,
          .activations = activations_,
          .ends = ends_,
          .edges = edges_};
}

void FlatNetwork::reset_lanes() {
  lanes_.assign(kLanes * values_.size(), 0.0);
  std::fill_n(lanes_.begin(), kLanes, 1.0);
}

void FlatNetwork::reset_lane(std::size_t lane) {
  for (std::size_t i = 1; i < values_.size(); ++i) {
    lanes_[kLanes * i + lane] = 0;
  }
}

std::span<const double> FlatNetwork::step_lanes(
    std::span<const double> inputs) {
  REQUIRE(inputs.size() == kLanes * inputs_,
          "FlatNetwork::step_lanes: expected {} numbers for {} inputs in {} "
          "lanes, got {}.",
          kLanes * inputs_, inputs_, kLanes, inputs.size());
  REQUIRE(lanes_.size() == kLanes * values_.size(),
          "FlatNetwork::step_lanes: the lanes have no state; call "
          "reset_lanes() after load() and evaluate_cases().");
  std::copy(inputs.begin(), inputs.end(), lanes_.begin() + kLanes);
  compute_lanes(view(), lanes_.data());
  return {lanes_.data() + kLanes * first_output_, kLanes * outputs_};
}

// Computes `used` cases in N lanes; the other lanes are ignored.
template <std::size_t N>
void FlatNetwork::evaluate_block(const double* inputs, std::size_t used,
                                 double* outputs) {
  lanes_.assign(N * values_.size(), 0.0);
  std::fill_n(lanes_.begin(), N, 1.0);
  for (std::size_t i = 0; i < inputs_; ++i) {
    for (std::size_t k = 0; k < used; ++k) {
      lanes_[N * (1 + i) + k] = inputs[k * inputs_ + i];
    }
  }
  (N == 4 ? compute_four_lanes : compute_lanes)(view(), lanes_.data());
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (std::size_t k = 0; k < used; ++k) {
      outputs[k * outputs_ + o] = lanes_[N * (first_output_ + o) + k];
    }
  }
}

void FlatNetwork::evaluate_cases(std::span<const double> inputs,
                                 std::span<double> outputs) {
  const std::size_t cases = outputs.size() / outputs_;
  REQUIRE(
      outputs.size() == cases * outputs_ && inputs.size() == cases * inputs_,
      "FlatNetwork::evaluate_cases: inputs and outputs must contain the same "
      "number of cases, got {} numbers for {} inputs and {} for {} outputs.",
      inputs.size(), inputs_, outputs.size(), outputs_);
  for (std::size_t first = 0; first < cases;) {
    const std::size_t left = cases - first;
    const double* in = inputs.data() + first * inputs_;
    double* out = outputs.data() + first * outputs_;
    // Small tasks such as XOR fit into four lanes.
    if (left <= 4) {
      evaluate_block<4>(in, left, out);
      first = cases;
    } else {
      evaluate_block<kLanes>(in, std::min(left, kLanes), out);
      first += std::min(left, kLanes);
    }
  }
  reset();
}

}  // namespace lamarck::neat
