// A generator and a discriminator that learn from each other.

#pragma once

#include "lamarck/evolution/gan_task.h"

namespace lamarck::evolution {

// Contiguous.
struct GanData {
  const Tensor& real;
  const Tensor& held_out;
};

// Keeps the weights of both as they were when what was made was most like the
// rows held out; the loss is 1 - likeness.
TrainingOutcome learn_gan(Network& generator, Network& discriminator,
                          const GanData& data, const GanOptions& options,
                          const LearningContext& context);

}  // namespace lamarck::evolution
