// Adversarial training of a generator and a discriminator.

#pragma once

#include "lamarck/evolution/gan_task.h"

namespace lamarck::evolution {

// REQUIRES: both tensors are contiguous.
struct GanData {
  const Tensor& real;
  const Tensor& held_out;
};

// Trains both networks in place and keeps the weights of the moment when the
// generated rows were most similar to the held-out ones. The loss is
// 1 - similarity.
TrainingOutcome learn_gan(Network& generator, Network& discriminator,
                          const GanData& data, const GanOptions& options,
                          const LearningContext& context);

}  // namespace lamarck::evolution
