// Adam for weights that were not all born at once.
//
// Adam corrects for the few gradients it has seen at first. In a network that
// grows, each weight has its own number of steps behind it.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

struct AgedAdamOptions {
  float rate = 0.03f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  // Added to the gradient, times the weight: weights are drawn to 0.
  float l2 = 0;
};

class AgedAdam {
 public:
  // Goes on from what `state` remembers; its values are not used.
  AgedAdam(const NetworkParameters& state, const AgedAdamOptions& options);

  void set_rate(float rate) { options_.rate = rate; }
  // REQUIRES: both as long as the state.
  void step(std::span<const float> gradient, std::span<float> values);
  // Writes what it remembers; the values stay.
  void save(NetworkParameters& state) const;

 private:
  // Neighbours of the same age.
  struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    double age = 0;
    double power1 = 1;  // beta1^age
    double power2 = 1;
  };

  AgedAdamOptions options_;
  std::vector<float> means_;
  std::vector<float> squares_;
  std::vector<Run> runs_;
};

}  // namespace lamarck::evolution
