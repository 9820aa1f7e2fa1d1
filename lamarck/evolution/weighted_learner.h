// Trains a network one step at a time on weighted rows, as policy gradients and
// critics need it. A negative weight pushes the outputs away from the target.

#pragma once

#include <cstdint>
#include <memory>

#include "lamarck/evolution/aged_adam.h"
#include "lamarck/evolution/network.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

struct WeightedRows {
  Tensor inputs;     // [rows, numbers] or [rows, steps, numbers].
  Tensor targets;    // [rows, outputs] or [rows, steps, outputs].
  Tensor weights;    // [rows] or [rows, steps]; may be negative.
  double scale = 1;  // The weighted sum of losses is divided by this; > 0.
};

// Adam starts with the moments stored in the network.
class WeightedLearner {
 public:
  // Throws LogicError for a recurrent network with layers.
  WeightedLearner(const Network& network, const AgedAdamOptions& options);
  ~WeightedLearner();

  // Takes one Adam step on the loss of the head and returns the loss before the
  // step. If the loss or the gradient is not finite, the weights do not change.
  double step(const WeightedRows& rows);
  // The same outputs as `predict`.
  Tensor outputs(const Tensor& inputs);
  // The network with its current weights and Adam moments.
  const Network& network();

  class Engine;

 private:
  Network network_;
  std::unique_ptr<Engine> engine_;
  AgedAdam adam_;
};

}  // namespace lamarck::evolution
