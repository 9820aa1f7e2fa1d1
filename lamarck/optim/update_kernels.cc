#include "lamarck/optim/update_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/optim/update_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lamarck/tensor/flush_denormals.h"

HWY_BEFORE_NAMESPACE();
namespace lamarck::optim::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kTag{};
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);
constexpr std::size_t kMaxArrays = 4;

V broadcast(float value) { return hn::Set(kTag, value); }

// Calls body(at) once per vector; at[k] points into arrays[k]. The last,
// incomplete vector goes through zero-padded copies, so that nothing is read or
// written beyond `count`.
template <std::size_t N, class F>
void for_each_vector(float* const (&arrays)[N], std::size_t count, F&& body) {
  static_assert(N <= kMaxArrays);
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    float* at[N];
    for (std::size_t k = 0; k < N; ++k) at[k] = arrays[k] + i;
    body(at);
  }
  if (i == count) return;
  HWY_ALIGN float copies[N][kMaxLanes] = {};
  float* at[N];
  for (std::size_t k = 0; k < N; ++k) {
    std::copy(arrays[k] + i, arrays[k] + count, copies[k]);
    at[k] = copies[k];
  }
  body(at);
  for (std::size_t k = 0; k < N; ++k) {
    std::copy_n(copies[k], count - i, arrays[k] + i);
  }
}

V load(const float* at) { return hn::LoadU(kTag, at); }
void store(V value, float* at) { hn::StoreU(value, kTag, at); }

}  // namespace

void sgd_kernel(const SgdStep& step, const float* gradient, float* velocity,
                float* weight, std::size_t count) {
  const V rate = broadcast(step.rate);
  const V decay = broadcast(step.weight_decay);
  if (velocity == nullptr) {
    // The loop takes mutable pointers only; it writes the gradient back
    // unchanged, and only in the padded last vector.
    float* const arrays[] = {const_cast<float*>(gradient), weight};
    for_each_vector(arrays, count, [&](float* const* at) {
      const V w = load(at[1]);
      const V g = hn::MulAdd(decay, w, load(at[0]));
      store(hn::NegMulAdd(rate, g, w), at[1]);
    });
    return;
  }
  const V momentum = broadcast(step.momentum);
  float* const arrays[] = {const_cast<float*>(gradient), velocity, weight};
  for_each_vector(arrays, count, [&](float* const* at) {
    const V w = load(at[2]);
    const V g = hn::MulAdd(decay, w, load(at[0]));
    const V v = hn::MulAdd(momentum, load(at[1]), g);
    store(v, at[1]);
    const V direction = step.nesterov ? hn::MulAdd(momentum, v, g) : v;
    store(hn::NegMulAdd(rate, direction, w), at[2]);
  });
}

void adam_kernel(const AdamStep& step, const float* gradient, float* mean,
                 float* square, float* weight, std::size_t count) {
  const V rate = broadcast(step.rate);
  const V beta1 = broadcast(step.beta1);
  const V beta2 = broadcast(step.beta2);
  const V one_minus_beta1 = broadcast(1 - step.beta1);
  const V one_minus_beta2 = broadcast(1 - step.beta2);
  const V correction = broadcast(step.root_correction);
  const V epsilon = broadcast(step.epsilon);
  const V decay = broadcast(step.weight_decay);
  const V shrink = broadcast(step.shrink);
  float* const arrays[] = {const_cast<float*>(gradient), mean, square, weight};
  for_each_vector(arrays, count, [&](float* const* at) {
    const V before = load(at[3]);
    const V g = hn::MulAdd(decay, before, load(at[0]));
    const V m = hn::MulAdd(beta1, load(at[1]), hn::Mul(one_minus_beta1, g));
    const V v =
        hn::MulAdd(beta2, load(at[2]), hn::Mul(one_minus_beta2, hn::Mul(g, g)));
    store(m, at[1]);
    store(v, at[2]);
    const V denominator = hn::MulAdd(hn::Sqrt(v), correction, epsilon);
    const V w = hn::Mul(before, shrink);
    store(hn::NegMulAdd(rate, hn::Div(m, denominator), w), at[3]);
  });
}

void rmsprop_kernel(const RmspropStep& step, const float* gradient,
                    float* square, float* weight, std::size_t count) {
  const V rate = broadcast(step.rate);
  const V keep = broadcast(step.decay);
  const V one_minus_decay = broadcast(1 - step.decay);
  const V epsilon = broadcast(step.epsilon);
  const V decay = broadcast(step.weight_decay);
  float* const arrays[] = {const_cast<float*>(gradient), square, weight};
  for_each_vector(arrays, count, [&](float* const* at) {
    const V w = load(at[2]);
    const V g = hn::MulAdd(decay, w, load(at[0]));
    const V v =
        hn::MulAdd(keep, load(at[1]), hn::Mul(one_minus_decay, hn::Mul(g, g)));
    store(v, at[1]);
    const V denominator = hn::Add(hn::Sqrt(v), epsilon);
    store(hn::NegMulAdd(rate, hn::Div(g, denominator), w), at[2]);
  });
}

}  // namespace lamarck::optim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::optim {

HWY_EXPORT(sgd_kernel);
HWY_EXPORT(adam_kernel);
HWY_EXPORT(rmsprop_kernel);

void sgd_update(const SgdStep& step, const float* gradient, float* velocity,
                float* weight, std::size_t count) {
  const FlushDenormals flush;
  HWY_DYNAMIC_DISPATCH(sgd_kernel)(step, gradient, velocity, weight, count);
}
void adam_update(const AdamStep& step, const float* gradient, float* mean,
                 float* square, float* weight, std::size_t count) {
  const FlushDenormals flush;
  HWY_DYNAMIC_DISPATCH(adam_kernel)
  (step, gradient, mean, square, weight, count);
}
void rmsprop_update(const RmspropStep& step, const float* gradient,
                    float* square, float* weight, std::size_t count) {
  const FlushDenormals flush;
  HWY_DYNAMIC_DISPATCH(rmsprop_kernel)(step, gradient, square, weight, count);
}

}  // namespace lamarck::optim
#endif
