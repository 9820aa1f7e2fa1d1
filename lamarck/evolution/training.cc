// Two engines train networks. Networks that consist of neurons only run as a
// NeuronPlan: evolution trains thousands of them, and they are too small and
// irregular for matrix products. All others run as graphs. Both
// compute the same loss and gradient; training_ways_test.cc checks it.

#include "lamarck/evolution/training.h"

#include "lamarck/evolution/internal/layer_training.h"
#include "lamarck/evolution/internal/neuron_training.h"

namespace lamarck::evolution {

struct Trainer::State {
  State(Examples given, std::optional<Examples> held_out)
      : examples(std::move(given)),
        check(std::move(held_out)),
        batch(examples.inputs, examples.targets, examples.weights) {
    if (check)
      check_batch.emplace(check->inputs, check->targets, check->weights);
  }

  Examples examples;
  std::optional<Examples> check;
  // The same rows in the layout of plans, made once for all networks. Threads
  // share them, because training never modifies a batch.
  NeuronBatch batch;
  std::optional<NeuronBatch> check_batch;
};

Trainer::Trainer(Examples examples, std::optional<Examples> check)
    : state_(std::make_unique<State>(std::move(examples), std::move(check))) {}
Trainer::~Trainer() = default;

const Examples& Trainer::examples() const { return state_->examples; }

TrainingOutcome Trainer::train(Network& network,
                               const TrainingOptions& options) const {
  if (network.has_only_neurons()) {
    return train_neurons(network, state_->batch,
                         state_->check_batch ? &*state_->check_batch : nullptr,
                         options);
  }
  return train_layers(network, state_->examples,
                      state_->check ? &*state_->check : nullptr, options);
}

double Trainer::loss(const Network& network) const {
  return network.has_only_neurons() ? neuron_loss(network, state_->batch)
                                    : layer_loss(network, state_->examples);
}

std::vector<double> Trainer::unit_scores(const Network& network,
                                         std::span<const UnitId> units) const {
  if (!network.has_only_neurons()) return {};
  return neuron_unit_scores(network, state_->batch, units);
}

Tensor predict(const Network& network, const Tensor& inputs) {
  return network.has_only_neurons() ? neuron_outputs(network, inputs)
                                    : layer_outputs(network, inputs);
}

}  // namespace lamarck::evolution
