// The arithmetic of the optimizers over arrays, vectorised.

#pragma once

#include <cstddef>

namespace lamarck::optim {

// Everything about one step that is the same for all elements.
struct SgdStep {
  float rate = 0;
  float momentum = 0;
  float weight_decay = 0;
  bool nesterov = false;
};
// v = momentum v + g; w -= rate v. `velocity` is null without momentum.
void sgd_update(const SgdStep& step, const float* gradient, float* velocity,
                float* weight, std::size_t count);

struct AdamStep {
  float rate = 0;  // Learning rate / (1 - beta1^t).
  float beta1 = 0;
  float beta2 = 0;
  float root_correction = 1;  // 1 / sqrt(1 - beta2^t).
  float epsilon = 0;
  float weight_decay = 0;  // Added to the gradient.
  float shrink = 1;        // Decoupled decay: the weight is multiplied by it.
};
void adam_update(const AdamStep& step, const float* gradient, float* mean,
                 float* square, float* weight, std::size_t count);

struct RmspropStep {
  float rate = 0;
  float decay = 0;
  float epsilon = 0;
  float weight_decay = 0;
};
void rmsprop_update(const RmspropStep& step, const float* gradient,
                    float* square, float* weight, std::size_t count);

}  // namespace lamarck::optim
