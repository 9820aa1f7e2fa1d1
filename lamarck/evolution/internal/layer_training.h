// Trains networks with layers as graphs, in mini-batches.

#pragma once

#include "lamarck/evolution/training.h"

namespace lamarck::evolution {

// With `check`, the outcome's `loss` is that of the first 4096 examples: the
// loss of all of them would cost about a third of an epoch.
TrainingOutcome train_layers(Network& network, const Examples& examples,
                             const Examples* check,
                             const TrainingOptions& options);
double layer_loss(const Network& network, const Examples& examples);
Tensor layer_outputs(const Network& network, const Tensor& inputs);

}  // namespace lamarck::evolution
