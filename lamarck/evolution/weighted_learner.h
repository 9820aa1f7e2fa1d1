// A network that learns one step at a time from rows that count more, less or
// against: what policy gradients and critics are made of.

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
  double scale = 1;  // The loss is the weighted sum divided by this; > 0.
};

// Adam begins with what the network remembers of its gradients.
class WeightedLearner {
 public:
  // Throws LogicError for a network that remembers and has layers.
  WeightedLearner(const Network& network, const AgedAdamOptions& options);
  ~WeightedLearner();

  // One step down the gradient of the loss of the head. Returns the loss as it
  // was before; if it or the gradient is not finite, nothing moves.
  double step(const WeightedRows& rows);
  // As `predict` gives it.
  Tensor outputs(const Tensor& inputs);
  // With the weights as they are now, and what Adam remembers.
  const Network& network();

  class Engine;

 private:
  Network network_;
  std::unique_ptr<Engine> engine_;
  AgedAdam adam_;
};

}  // namespace lamarck::evolution
