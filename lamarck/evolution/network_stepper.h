// A network that acts: one observation in, its outputs back, step after step.
//
//   NetworkStepper stepper(network);
//   for (env.reset(rng), stepper.reset(); !env.is_done();) {
//     env.step(choose(stepper.step(env.observation())));
//   }

#pragma once

#include <memory>
#include <span>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// Compiled once; a step of neurons allocates nothing. Gives what `predict`
// gives for the same sequence, up to rounding. Thread safety: one stepper
// belongs to one thread at a time.
class NetworkStepper {
 public:
  explicit NetworkStepper(const Network& network);
  ~NetworkStepper();
  NetworkStepper(NetworkStepper&& other) noexcept;
  NetworkStepper& operator=(NetworkStepper&& other) noexcept;

  // One number for each output; with a head of cross entropy probabilities.
  // Stands until the next call. REQUIRES: a number for each input.
  std::span<const float> step(std::span<const float> inputs);
  // Recurrent edges and cells begin at 0 again.
  void reset();
  // REQUIRES: of the same topology, with nodes and edges in the same order, as
  // copies of a network are.
  void take_weights(const Network& network);

  class Engine;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace lamarck::evolution
