// A genome made ready to compute.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/neat/neat_lanes.h"

namespace lamarck::neat {

// Nothing is allocated while it computes, nor when it is loaded again with
// genomes no larger than before. Thread safety: one network belongs to one
// thread at a time.
class FlatNetwork {
 public:
  FlatNetwork() = default;
  explicit FlatNetwork(const Genome& genome) { load(genome); }

  // Becomes the network of `genome`, with its state at 0.
  void load(const Genome& genome);

  // Computes one step. Recurrent connections carry what their source had after
  // the step before. The outputs are valid until the next call of a member.
  // REQUIRES: as many inputs as the genome has.
  std::span<const double> step(std::span<const double> inputs);
  std::span<const double> outputs() const {
    return {values_.data() + first_output_, outputs_};
  }
  // Every node is 0 again.
  void reset();

  // One step from a state of 0 for each case: `inputs` and `outputs` hold the
  // cases one after the other. The state is 0 after it.
  void evaluate_cases(std::span<const double> inputs,
                      std::span<double> outputs);

  // kLanes copies side by side, each with a state of its own; an input or
  // output holds kLanes numbers, then comes the next. REQUIRES: for step_lanes,
  // reset_lanes came after `load` and after `evaluate_cases`.
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
  // In the order of evaluation: a source that stands later still holds the
  // value of the step before when it is read.
  std::vector<double> values_;
  std::vector<double> lanes_;  // kLanes or 4 values for each node.
  std::vector<NodeActivation> activations_;
  std::vector<std::uint32_t> ends_;    // Of each node's edges.
  std::vector<FlatEdge> edges_;        // By target.
  std::vector<std::uint32_t> places_;  // By node id; only for load.
};

}  // namespace lamarck::neat
