// The activation functions of NEAT nodes.

#pragma once

#include "lamarck/neat/neat_genome.h"
#include "lamarck/neat/steep_sigmoid.h"

namespace lamarck::neat {

inline double activate(NodeActivation activation, double x) {
  switch (activation) {
    case NodeActivation::SteepSigmoid:
      return steep_sigmoid(x);
    case NodeActivation::Tanh:
      return 1 - 2 / (1 + quick_exp(2 * x));  // tanh(x).
    case NodeActivation::Relu:
      return x < 0 ? 0 : x;  // NaN stays NaN.
    case NodeActivation::Identity:
      return x;
  }
  return x;
}

}  // namespace lamarck::neat
