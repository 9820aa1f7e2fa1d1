// The generator's side of a GAN: its gradient passes through a discriminator
// that stands still.

#pragma once

#include "lamarck/evolution/aged_adam.h"
#include "lamarck/evolution/internal/narrow_training.h"

namespace lamarck::evolution {

// Both networks as one plan: the generator, its outputs with noise added, and
// the discriminator on top. REQUIRES: both are narrow and do not remember; the
// discriminator's head is BinaryCrossEntropy.
class GeneratorLearner {
 public:
  GeneratorLearner(const Network& generator, const Network& discriminator,
                   const AgedAdamOptions& options);

  // One step towards what `discriminator`, of the same topology as the one
  // given first, takes for real. `noise` is [rows, inputs], `blur` what is
  // added to the rows made. Returns the loss; if it or the gradient is not
  // finite, nothing moves.
  double step(const Tensor& noise, const Tensor& blur,
              const Network& discriminator);
  // With the weights as they are now, and what Adam remembers.
  const Network& network();

 private:
  static NarrowTopology joined(const NarrowTopology& generator,
                               const NarrowTopology& discriminator);
  std::vector<float> joined_weights(const Network& discriminator) const;

  Network generator_;
  NarrowForm form_;
  NarrowForm discriminator_form_;
  NarrowPlan plan_;
  NetworkParameters parameters_;  // The generator's, as the form orders them.
  AgedAdam adam_;
};

}  // namespace lamarck::evolution
