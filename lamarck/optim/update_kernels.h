// Vectorized update rules of the optimizers.

#pragma once

#include <cstddef>

namespace lamarck::optim {

// The values of one step that are the same for all elements.
struct SgdStep {
  float rate = 0;
  float momentum = 0;
  float weight_decay = 0;
  bool nesterov = false;
};
// With momentum: v = momentum v + g; w -= rate v, or w -= rate (g + momentum v)
// with Nesterov. Without momentum `velocity` is null, and w -= rate g.
void sgd_update(const SgdStep& step, const float* gradient, float* velocity,
                float* weight, std::size_t count);

struct AdamStep {
  float rate = 0;  // Learning rate / (1 - beta1^t).
  float beta1 = 0;
  float beta2 = 0;
  float root_correction = 1;  // 1 / sqrt(1 - beta2^t).
  float epsilon = 0;
  float weight_decay = 0;  // L2: times the weight, added to the gradient.
  float shrink = 1;        // Decoupled decay: multiplies the weight.
};
// m and v are the running means of g and g^2; w = shrink w - rate m / (sqrt(v)
// root_correction + epsilon).
void adam_update(const AdamStep& step, const float* gradient, float* mean,
                 float* square, float* weight, std::size_t count);

struct RmspropStep {
  float rate = 0;
  float decay = 0;
  float epsilon = 0;
  float weight_decay = 0;
};
// v = decay v + (1 - decay) g^2; w -= rate g / (sqrt(v) + epsilon).
void rmsprop_update(const RmspropStep& step, const float* gradient,
                    float* square, float* weight, std::size_t count);

}  // namespace lamarck::optim
