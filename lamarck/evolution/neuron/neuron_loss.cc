#include "lamarck/evolution/neuron/neuron_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/evolution/neuron/neuron_loss.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Both must come after highway.h.
#include <hwy/contrib/math/math-inl.h>
#include "lamarck/evolution/neuron/neuron_vectors.inc"

HWY_BEFORE_NAMESPACE();
namespace lamarck::evolution::HWY_NAMESPACE {
namespace {

// The outputs of one vector of samples at one step. Each pointer refers to the
// first output; the next ones follow at a distance of `width` floats.
struct Outputs {
  std::size_t count;
  std::size_t width;
  const float* values;
  const float* sums;
  const float* targets;
  float* deltas;  // Null if no gradient is wanted.
};

template <class D>
HWY_INLINE hn::Vec<D> row(D d, const float* first, const Outputs& at,
                          std::size_t output) {
  return hn::Load(d, first + output * at.width);
}

template <class D, class V>
HWY_INLINE void store_delta(D d, V x, const Outputs& at, std::size_t output) {
  if (at.deltas != nullptr) hn::Store(x, d, at.deltas + output * at.width);
}

template <class D, class V>
HWY_INLINE V squared(D d, const Outputs& at, V importance) {
  const V factor =
      hn::Mul(importance, hn::Set(d, 1.0f / static_cast<float>(at.count)));
  const V twice = hn::Add(factor, factor);
  V total = hn::Zero(d);
  for (std::size_t i = 0; i < at.count; ++i) {
    const V off = hn::Sub(row(d, at.values, at, i), row(d, at.targets, at, i));
    total = hn::MulAdd(off, off, total);
    store_delta(d, hn::Mul(twice, off), at, i);
  }
  return hn::Mul(total, factor);
}

// Binary cross entropy from the logit z and the target t as
// max(z, 0) - z t + log(1 + exp(-|z|)), which never overflows. The delta of the
// sum is simply sigmoid(z) - t.
template <class D, class V>
HWY_INLINE V binary(D d, const Outputs& at, V importance) {
  V total = hn::Zero(d);
  for (std::size_t i = 0; i < at.count; ++i) {
    const V z = row(d, at.sums, at, i);
    const V target = row(d, at.targets, at, i);
    const V power = falling_exp(d, hn::Neg(hn::Abs(z)));
    const V line =
        hn::NegMulAdd(z, target, unless_nan(z, hn::Max(hn::Zero(d), z)));
    total = hn::Add(total, hn::Add(line, log_above_one(d, power)));
    const V off = hn::Sub(row(d, at.values, at, i), target);
    store_delta(d, hn::Mul(importance, off), at, i);
  }
  return hn::Mul(total, importance);
}

// Cross entropy of the softmax: T log(sum(exp(z))) - sum(z t), where T is the
// sum of the targets t. The largest z is subtracted from all, which does not
// change the result and keeps exp from overflowing. Targets need not sum to 1:
// policy gradients use targets that do not.
template <class D, class V>
HWY_INLINE V categorical(D d, const Outputs& at, V importance) {
  V largest = row(d, at.sums, at, 0);
  for (std::size_t i = 1; i < at.count; ++i) {
    largest = larger(row(d, at.sums, at, i), largest);
  }
  V powers = hn::Zero(d);
  V expected = hn::Zero(d);
  V targets = hn::Zero(d);
  for (std::size_t i = 0; i < at.count; ++i) {
    const V z = hn::Sub(row(d, at.sums, at, i), largest);
    const V power = falling_exp(d, z);
    const V target = row(d, at.targets, at, i);
    powers = hn::Add(powers, power);
    expected = hn::MulAdd(z, target, expected);
    targets = hn::Add(targets, target);
    // The deltas hold exp(z) until its sum is known.
    store_delta(d, power, at, i);
  }
  const V factor = hn::Div(targets, powers);
  for (std::size_t i = 0; at.deltas != nullptr && i < at.count; ++i) {
    const V off =
        hn::MulSub(row(d, at.deltas, at, i), factor, row(d, at.targets, at, i));
    store_delta(d, hn::Mul(importance, off), at, i);
  }
  return hn::Mul(importance, hn::MulSub(targets, hn::Log(d, powers), expected));
}

template <class D, class V>
HWY_INLINE V loss_of(D d, Loss loss, const Outputs& at, V importance) {
  switch (loss) {
    case Loss::MeanSquared:
      return squared(d, at, importance);
    case Loss::BinaryCrossEntropy:
      return binary(d, at, importance);
    case Loss::CrossEntropy:
      return categorical(d, at, importance);
  }
  return hn::Zero(d);
}

// The outputs of a block at one step, starting at its first sample.
Outputs outputs_at(const NeuronPass& pass, std::size_t step) {
  const NeuronProgram& program = *pass.program;
  const std::size_t hidden = program.nodes.size() - program.outputs;
  const std::size_t floats = program.outputs * pass.width;
  const std::size_t target_step = pass.only_last_counts ? 0 : step;
  return {
      .count = program.outputs,
      .width = pass.width,
      .values = pass.values_at(step) + (program.inputs + hidden) * pass.width,
      .sums = pass.sums + step * floats,
      .targets = pass.targets + target_step * floats,
      .deltas = pass.deltas == nullptr
                    ? nullptr
                    : pass.deltas_at(step) + hidden * pass.width};
}

Outputs moved(const Outputs& from, std::size_t samples) {
  return {.count = from.count,
          .width = from.width,
          .values = from.values + samples,
          .sums = from.sums + samples,
          .targets = from.targets + samples,
          .deltas = from.deltas == nullptr ? nullptr : from.deltas + samples};
}

void clear_deltas(const Outputs& at) {
  if (at.deltas == nullptr) return;
  for (std::size_t i = 0; i < at.count * at.width; ++i) at.deltas[i] = 0;
}

template <class D>
double step_loss(D d, const NeuronPass& pass, std::size_t step) {
  const Outputs all = outputs_at(pass, step);
  if (pass.only_last_counts && step + 1 < pass.steps) {
    clear_deltas(all);
    return 0;
  }
  auto total = hn::Zero(d);
  for (std::size_t at = 0; at < pass.width; at += hn::Lanes(d)) {
    const auto importance =
        hn::Load(d, pass.importance + step * pass.width + at);
    const auto loss =
        loss_of(d, pass.program->loss, moved(all, at), importance);
    // Padding must not contribute, even if its loss is infinite or NaN.
    total = hn::Add(total,
                    hn::IfThenZeroElse(hn::Eq(importance, hn::Zero(d)), loss));
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
}

template <class D>
double whole_loss(D d, const NeuronPass& pass) {
  double total = 0;
  for (std::size_t step = 0; step < pass.steps; ++step) {
    total += step_loss(d, pass, step);
  }
  return total;
}

}  // namespace

double loss_here(const NeuronPass& pass) {
  if (pass.width == 4) return whole_loss(hn::CappedTag<float, 4>(), pass);
  if (pass.width == 8) return whole_loss(hn::CappedTag<float, 8>(), pass);
  return whole_loss(hn::CappedTag<float, 16>(), pass);
}

}  // namespace lamarck::evolution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::evolution {

HWY_EXPORT(loss_here);

double neuron_loss(const NeuronPass& pass) {
  return HWY_DYNAMIC_DISPATCH(loss_here)(pass);
}

}  // namespace lamarck::evolution
#endif
