#include <algorithm>

#include "lamarck/evolution/neuron/neuron_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/evolution/neuron/neuron_forward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Must come after highway.h.
#include "lamarck/evolution/neuron/neuron_activations.inc"

HWY_BEFORE_NAMESPACE();
namespace lamarck::evolution::HWY_NAMESPACE {
namespace {

using Edge = NeuronProgram::Edge;
using Node = NeuronProgram::Node;

// The aggregated input of a node, for one vector of samples.
template <class D>
hn::Vec<D> aggregated(D d, const NeuronPass& pass, const Node& node,
                      const float* values) {
  using V = hn::Vec<D>;
  if (node.in_begin == node.in_end) return hn::Zero(d);
  const auto arriving = [&](std::uint32_t e) HWY_ATTR {
    const Edge& edge = pass.program->in_edges[e];
    const auto row = static_cast<std::ptrdiff_t>(edge.row);
    const auto width = static_cast<std::ptrdiff_t>(pass.width);
    return hn::Mul(hn::Set(d, pass.weights[edge.weight]),
                   hn::Load(d, values + row * width));
  };
  V all = arriving(node.in_begin);
  for (std::uint32_t e = node.in_begin + 1; e < node.in_end; ++e) {
    const V next = arriving(e);
    switch (node.aggregation) {
      case Aggregation::Max:
        all = larger(next, all);
        break;
      case Aggregation::Product:
        all = hn::Mul(all, next);
        break;
      case Aggregation::Sum:
      case Aggregation::Mean:
        all = hn::Add(all, next);
        break;
    }
  }
  if (node.aggregation != Aggregation::Mean) return all;
  const auto count = static_cast<float>(node.in_end - node.in_begin);
  return hn::Mul(all, hn::Set(d, 1.0f / count));
}

// Computes the aggregated input plus bias of a node into `sums`. `values`
// points to the rows of this step, starting at a piece of the block.
template <std::size_t Width>
HWY_INLINE void arrive(const NeuronPass& pass, std::size_t i,
                       const float* values, typename Piece<Width>::V* sums) {
  using P = Piece<Width>;
  const typename P::D d;
  const NeuronProgram& program = *pass.program;
  const Node& node = program.nodes[i];
  const auto bias = hn::Set(d, pass.weights[program.bias_of(i)]);
  for (std::size_t v = 0; v < P::kVectors; ++v) sums[v] = bias;
  if (node.aggregation != Aggregation::Sum) {
    for (std::size_t v = 0; v < P::kVectors; ++v) {
      const float* from = values + v * P::kLanes;
      sums[v] = hn::Add(bias, aggregated(d, pass, node, from));
    }
    return;
  }
  // Sum is by far the most common aggregation. Here the whole piece stays in
  // registers while the edges pass by.
  const Edge* const end = program.in_edges.data() + node.in_end;
  for (const Edge* e = program.in_edges.data() + node.in_begin; e < end; ++e) {
    const auto weight = hn::Set(d, pass.weights[e->weight]);
    const float* from = values + e->row * static_cast<std::ptrdiff_t>(Width);
    for (std::size_t v = 0; v < P::kVectors; ++v) {
      sums[v] = hn::MulAdd(weight, hn::Load(d, from + v * P::kLanes), sums[v]);
    }
  }
}

template <std::size_t Width>
HWY_INLINE void store(const typename Piece<Width>::V* x, float* to) {
  using P = Piece<Width>;
  for (std::size_t v = 0; v < P::kVectors; ++v) {
    hn::Store(x[v], typename P::D(), to + v * P::kLanes);
  }
}

template <std::size_t Width>
void forward_step(const NeuronPass& pass, float* values, float* output_sums) {
  using P = Piece<Width>;
  const NeuronProgram& program = *pass.program;
  const std::size_t hidden = program.nodes.size() - program.outputs;
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    for (std::size_t at = 0; at < Width; at += P::kSize) {
      typename P::V x[P::kVectors];
      arrive<Width>(pass, i, values + at, x);
      if (node.is_output) {
        store<Width>(x, output_sums + (i - hidden) * Width + at);
      }
      const typename P::D d;
      with_kernel(d, node.activation, [&](auto kernel) HWY_ATTR {
        for (std::size_t v = 0; v < P::kVectors; ++v) {
          x[v] = kernel.value(d, x[v]);
        }
      });
      store<Width>(x, values + (program.inputs + i) * Width + at);
    }
  }
}

template <std::size_t Width>
void forward(const NeuronPass& pass) {
  const std::size_t inputs = pass.program->inputs * Width;
  for (std::size_t step = 0; step < pass.steps; ++step) {
    float* values = pass.values_at(step);
    std::copy_n(pass.inputs + step * inputs, inputs, values);
    forward_step<Width>(pass, values,
                        pass.sums + step * pass.program->outputs * Width);
  }
}

}  // namespace

// A template per width, so that the loops over vectors unroll completely.
void forward_here(const NeuronPass& pass) {
  switch (pass.width) {
    case 4:
      return forward<4>(pass);
    case 8:
      return forward<8>(pass);
    case 16:
      return forward<16>(pass);
    case 32:
      return forward<32>(pass);
    default:
      return forward<64>(pass);
  }
}

}  // namespace lamarck::evolution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::evolution {

HWY_EXPORT(forward_here);

void neuron_forward(const NeuronPass& pass) {
  HWY_DYNAMIC_DISPATCH(forward_here)(pass);
}

}  // namespace lamarck::evolution
#endif
