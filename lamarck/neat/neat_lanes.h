// Computes one step of many copies of a network in parallel with SIMD.
//
// Sums are added in the order of the edges without fused multiply-add, so every
// copy gives bitwise the same result as a single network, on every machine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lamarck/environment/lane_count.h"
#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

using environment::kLanes;

struct FlatEdge {
  std::uint32_t from = 0;  // Index of a node in the order of evaluation.
  double weight = 0;
};

// Nodes [first, ends.size()) are computed. The edges of node i are
// [ends[i - 1], ends[i]); nodes before `first` have none.
struct FlatView {
  std::size_t first = 0;
  std::span<const NodeActivation> activations;
  std::span<const std::uint32_t> ends;
  std::span<const FlatEdge> edges;
};

// `values` contains kLanes numbers for each node.
void compute_lanes(const FlatView& network, double* values);

// `values` contains 4 numbers for each node.
void compute_four_lanes(const FlatView& network, double* values);

}  // namespace lamarck::neat
