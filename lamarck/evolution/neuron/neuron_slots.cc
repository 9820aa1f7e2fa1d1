#include "lamarck/evolution/neuron/neuron_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/evolution/neuron/neuron_slots.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::evolution::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A slot holds a full vector even if narrow blocks use fewer lanes, so the sum
// below can always take all of them.
std::size_t slot_size_here() { return hn::Lanes(hn::ScalableTag<float>()); }

void sum_slots_here(const NeuronProgram& program, const float* slots,
                    float* gradient) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto total = [&](std::size_t index) HWY_ATTR {
    return hn::GetLane(hn::SumOfLanes(d, hn::Load(d, slots + index * lanes)));
  };
  const std::size_t edges = program.in_edges.size();
  for (std::size_t e = 0; e < edges; ++e) {
    gradient[program.in_edges[e].weight] = total(e);
  }
  for (std::size_t i = edges; i < program.weight_count(); ++i) {
    gradient[i] = total(i);
  }
}

}  // namespace lamarck::evolution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::evolution {

HWY_EXPORT(slot_size_here);
HWY_EXPORT(sum_slots_here);

std::size_t neuron_slot_size() {
  return HWY_DYNAMIC_DISPATCH(slot_size_here)();
}
void sum_neuron_slots(const NeuronProgram& program, const float* slots,
                      float* gradient) {
  HWY_DYNAMIC_DISPATCH(sum_slots_here)(program, slots, gradient);
}

}  // namespace lamarck::evolution
#endif
