// Evaluates a genome as a network in flat arrays.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/neat/neat_lanes.h"

namespace lamarck::neat {

// step and step_lanes do not allocate memory, and neither does load for genomes
// that are not larger than the earlier ones.
//
// Thread safety: a network belongs to one thread at a time.
class FlatNetwork {
 public:
  FlatNetwork() = default;
  explicit FlatNetwork(const Genome& genome) { load(genome); }

  // Replaces the network with that of `genome`, with a state of 0.
  void load(const Genome& genome);

  // Computes one step. Recurrent connections carry the value of the previous
  // step. The outputs are valid until the next call to a non-const member.
  //
  // REQUIRES: as many inputs as the genome has.
  std::span<const double> step(std::span<const double> inputs);
  std::span<const double> outputs() const {
    return {values_.data() + first_output_, outputs_};
  }
  // Sets the state to 0.
  void reset();

  // Computes one step from a state of 0 for each case. `inputs` and `outputs`
  // contain the cases one after the other. The state is 0 afterwards.
  void evaluate_cases(std::span<const double> inputs,
                      std::span<double> outputs);

  // These functions run kLanes copies in parallel, each with its own state. The
  // layout is [input or output][lane].
  //
  // REQUIRES: reset_lanes is called before step_lanes, and again after load and
  // evaluate_cases.
  std::span<const double> step_lanes(std::span<const double> inputs);
  void reset_lanes();
  void reset_lane(std::size_t lane);

  std::size_t input_count() const { return inputs_; }
  std::size_t output_count() const { return outputs_; }

 private:
  void count_edges(const Genome& genome);
  void place_edges(const Genome& genome);
  FlatView view() const;
  template <std::size_t N>
  void evaluate_block(const double* inputs, std::size_t used, double* outputs);

  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  std::size_t first_output_ = 0;
  // In the order of evaluation: a source that comes later still has the value
  // of the previous step when it is read, so recurrence needs no second buffer.
  std::vector<double> values_;
  std::vector<double> lanes_;  // kLanes or 4 values for each node.
  std::vector<NodeActivation> activations_;
  std::vector<std::uint32_t> ends_;    // End of each node's edges in edges_.
  std::vector<FlatEdge> edges_;        // Sorted by target.
  std::vector<std::uint32_t> places_;  // Index by node id; used by load.
};

}  // namespace lamarck::neat
