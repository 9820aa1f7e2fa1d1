// The generator's side of a GAN: its gradient passes through a discriminator
// whose weights are fixed.

#pragma once

#include "lamarck/evolution/aged_adam.h"
#include "lamarck/evolution/internal/neuron_training.h"

namespace lamarck::evolution {

// Joins both networks into one plan: the generator, noise added to its outputs,
// and the discriminator on top. REQUIRES: both have only neurons and are
// not recurrent; the discriminator's head is BinaryCrossEntropy.
class GeneratorLearner {
 public:
  GeneratorLearner(const Network& generator, const Network& discriminator,
                   const AgedAdamOptions& options);

  // Takes one Adam step towards rows that `discriminator` classifies as real,
  // and returns the loss before it. `noise` is [rows, inputs]; `blur` is added
  // to the generated rows. If the loss or the gradient is not finite, the
  // weights do not change. REQUIRES: `discriminator` has the topology of the
  // one given to the constructor.
  double step(const Tensor& noise, const Tensor& blur,
              const Network& discriminator);
  // The generator with its current weights and Adam moments.
  const Network& network();

 private:
  static NeuronTopology joined(const NeuronTopology& generator,
                               const NeuronTopology& discriminator);
  std::vector<float> joined_weights(const Network& discriminator) const;

  Network generator_;
  NeuronForm form_;
  NeuronForm discriminator_form_;
  NeuronPlan plan_;
  NetworkParameters parameters_;  // The generator's, in the order of form_.
  AgedAdam adam_;
};

}  // namespace lamarck::evolution
