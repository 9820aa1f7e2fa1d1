// Adam for networks that grow: each weight has its own age.
//
// Adam's bias correction depends on how many gradients a weight has seen. In a
// growing network that number differs from weight to weight.

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
  // L2 regularization: l2 * weight is added to the gradient.
  float l2 = 0;
};

class AgedAdam {
 public:
  // Continues from the moments and ages in `state`; ignores its values.
  AgedAdam(const NetworkParameters& state, const AgedAdamOptions& options);

  void set_rate(float rate) { options_.rate = rate; }
  // REQUIRES: both spans have the size of the state.
  void step(std::span<const float> gradient, std::span<float> values);
  // Writes the moments and ages to `state`; leaves its values unchanged.
  void save(NetworkParameters& state) const;

 private:
  // Consecutive weights of the same age, which share a bias correction.
  struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    double age = 0;
    double power1 = 1;  // beta1^age
    double power2 = 1;  // beta2^age
  };

  AgedAdamOptions options_;
  std::vector<float> means_;
  std::vector<float> squares_;
  std::vector<Run> runs_;
};

}  // namespace lamarck::evolution
