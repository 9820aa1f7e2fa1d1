// Trains networks that consist of neurons only, on all rows at once.

#pragma once

#include "lamarck/evolution/neuron/neuron_plan.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {

// A network as the topology of a plan, with the mapping between their
// parameters.
class NeuronForm {
 public:
  explicit NeuronForm(const Network& network);

  const NeuronTopology& topology() const { return topology_; }
  // Copies the network's parameters into the order of the topology.
  NetworkParameters gather(const NetworkParameters& from) const;
  // The reverse.
  void scatter(const NetworkParameters& from, NetworkParameters& to) const;

 private:
  NeuronTopology topology_;
  std::vector<std::size_t> places_;  // Index in the network, by our index.
};

// For all functions below. REQUIRES: network.has_only_neurons().
TrainingOutcome train_neurons(Network& network, const NeuronBatch& batch,
                              const NeuronBatch* check,
                              const TrainingOptions& options);
double neuron_loss(const Network& network, const NeuronBatch& batch);
Tensor neuron_outputs(const Network& network, const Tensor& inputs);
// See Trainer::unit_scores.
std::vector<double> neuron_unit_scores(const Network& network,
                                       const NeuronBatch& batch,
                                       std::span<const UnitId> units);

}  // namespace lamarck::evolution
