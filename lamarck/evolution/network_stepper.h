// Runs a network one step at a time, for agents that act in an environment.
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

// The constructor compiles the network; a step of a network of neurons does not
// allocate. The outputs equal those of `predict` for the same sequence, up to
// rounding. Thread safety: one thread at a time may use a stepper.
class NetworkStepper {
 public:
  explicit NetworkStepper(const Network& network);
  ~NetworkStepper();
  NetworkStepper(NetworkStepper&& other) noexcept;
  NetworkStepper& operator=(NetworkStepper&& other) noexcept;

  // Returns one number per output; probabilities with a cross-entropy head. The
  // span is valid until the next call. REQUIRES: one number per input.
  std::span<const float> step(std::span<const float> inputs);
  // Sets the state of recurrent edges and cells to 0.
  void reset();
  // Copies the weights of another network. REQUIRES: it has the same topology,
  // with nodes and edges in the same order, as a copy has.
  void take_weights(const Network& network);

  class Engine;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace lamarck::evolution
