#include "lamarck/neat/neat_lanes.h"

#include "lamarck/neat/neat_activation.h"

// Highway compiles this file once for every SIMD target; the best one that the
// machine supports is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/neat/neat_lanes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::neat::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Computes the weighted sum over [edge, end) for every lane.
template <std::size_t N>
HWY_INLINE void sum_edges(const FlatEdge* edge, const FlatEdge* end,
                          const double* values, double* sums) {
  const hn::CappedTag<double, N> tag;
  for (std::size_t k = 0; k < N; k += hn::Lanes(tag)) {
    auto sum = hn::Zero(tag);
    for (const FlatEdge* at = edge; at < end; ++at) {
      const auto from = hn::LoadU(tag, values + N * at->from + k);
      sum = hn::Add(sum, hn::Mul(hn::Set(tag, at->weight), from));
    }
    hn::StoreU(sum, tag, sums + k);
  }
}

template <std::size_t N>
HWY_INLINE void compute(const FlatView& network, double* values) {
  const FlatEdge* edge = network.edges.data();
  for (std::size_t i = network.first; i < network.ends.size(); ++i) {
    const FlatEdge* end = network.edges.data() + network.ends[i];
    double sums[N];
    sum_edges<N>(edge, end, values, sums);
    edge = end;
    double* to = values + N * i;
    const NodeActivation activation = network.activations[i];
    if (activation == NodeActivation::SteepSigmoid) {
      // Without the switch of activate() the compiler vectorizes this loop.
      for (std::size_t k = 0; k < N; ++k) to[k] = steep_sigmoid(sums[k]);
    } else {
      for (std::size_t k = 0; k < N; ++k) to[k] = activate(activation, sums[k]);
    }
  }
}

}  // namespace

void compute_here(const FlatView& network, double* values) {
  compute<kLanes>(network, values);
}

void compute_four_here(const FlatView& network, double* values) {
  compute<4>(network, values);
}

}  // namespace lamarck::neat::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::neat {

HWY_EXPORT(compute_here);
HWY_EXPORT(compute_four_here);

void compute_lanes(const FlatView& network, double* values) {
  HWY_DYNAMIC_DISPATCH(compute_here)(network, values);
}

void compute_four_lanes(const FlatView& network, double* values) {
  HWY_DYNAMIC_DISPATCH(compute_four_here)(network, values);
}

}  // namespace lamarck::neat
#endif  // HWY_ONCE
