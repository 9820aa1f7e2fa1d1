// One step of many copies of a network side by side, vectorised.
//
// Sums are added in the order of the edges, without fused products: every copy
// computes what the network alone would, to the last bit, on every machine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lamarck/environment/lane_count.h"
#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

using environment::kLanes;

struct FlatEdge {
  std::uint32_t from = 0;  // The place of a node in the order of evaluation.
  double weight = 0;
};

// Nodes [first, ends.size()) are computed, each from the edges that end where
// `ends` says and begin where the node before ends.
struct FlatView {
  std::size_t first = 0;
  std::span<const NodeActivation> activations;
  std::span<const std::uint32_t> ends;
  std::span<const FlatEdge> edges;
};

// `values` holds kLanes numbers for each node.
void compute_lanes(const FlatView& network, double* values);
// Likewise with 4 numbers for each.
void compute_four_lanes(const FlatView& network, double* values);

}  // namespace lamarck::neat
