#include "lamarck/evolution/neuron/neuron_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/evolution/neuron/neuron_backward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Must come after highway.h.
#include "lamarck/evolution/neuron/neuron_activations.inc"

HWY_BEFORE_NAMESPACE();
namespace lamarck::evolution::HWY_NAMESPACE {
namespace {

using Edge = NeuronProgram::Edge;
using Node = NeuronProgram::Node;

// The rows of one step, starting at a piece of the block.
struct Rows {
  const float* values;
  float* deltas;
};

// Backward pass for one vector of samples through a node whose aggregation is
// not Sum. Its edges have different deltas, so each has a delta row of its own.
template <class D>
struct SeparateEdges {
  using V = hn::Vec<D>;

  const NeuronPass& pass;
  const Node& node;
  Rows rows;

  std::uint32_t count() const { return node.in_end - node.in_begin; }
  const float* value(std::uint32_t k) const {
    const Edge& edge = pass.program->in_edges[node.in_begin + k];
    return rows.values + edge.row * static_cast<std::ptrdiff_t>(pass.width);
  }
  V arriving(std::uint32_t k) const {
    const Edge& edge = pass.program->in_edges[node.in_begin + k];
    return hn::Mul(hn::Set(D(), pass.weights[edge.weight]),
                   hn::Load(D(), value(k)));
  }
  float* delta(std::uint32_t k) const {
    return rows.deltas + (node.own_rows + k) * pass.width;
  }

  void spread_mean(V d) const {
    const V share =
        hn::Mul(d, hn::Set(D(), 1.0f / static_cast<float>(count())));
    for (std::uint32_t k = 0; k < count(); ++k) hn::Store(share, D(), delta(k));
  }
  // The first of the largest inputs gets all of the gradient.
  void spread_max(V d) const {
    V largest = arriving(0);
    for (std::uint32_t k = 1; k < count(); ++k) {
      largest = larger(arriving(k), largest);
    }
    for (std::uint32_t k = 0; k < count(); ++k) {
      const auto is_largest = hn::Eq(arriving(k), largest);
      hn::Store(hn::IfThenElseZero(is_largest, d), D(), delta(k));
      // Clears the lanes that have been given away, so ties count once.
      d = hn::IfThenZeroElse(is_largest, d);
    }
  }
  // The derivative with respect to one factor is the product of all others. Two
  // passes multiply the factors before it and those after it, which also works
  // if a factor is 0; dividing the whole product would not.
  void spread_product(V d) const {
    V before = d;
    for (std::uint32_t k = 0; k < count(); ++k) {
      hn::Store(before, D(), delta(k));
      before = hn::Mul(before, arriving(k));
    }
    V after = hn::Set(D(), 1.0f);
    for (std::uint32_t k = count(); k-- > 0;) {
      hn::Store(hn::Mul(after, hn::Load(D(), delta(k))), D(), delta(k));
      after = hn::Mul(after, arriving(k));
    }
  }
  void spread(V d) const {
    if (count() == 0) return;
    switch (node.aggregation) {
      case Aggregation::Max:
        return spread_max(d);
      case Aggregation::Product:
        return spread_product(d);
      case Aggregation::Sum:
      case Aggregation::Mean:
        return spread_mean(d);
    }
  }
  void add_gradients() const {
    for (std::uint32_t k = 0; k < count(); ++k) {
      float* slot = pass.slots +
                    (node.in_begin + k) * hn::Lanes(hn::ScalableTag<float>());
      const V before = hn::Load(D(), slot);
      hn::Store(
          hn::MulAdd(hn::Load(D(), delta(k)), hn::Load(D(), value(k)), before),
          D(), slot);
    }
  }
};

// Computes the delta of a node into x. REQUIRES: the deltas of all its targets
// are complete, which holds because backward visits nodes and steps in reverse.
template <std::size_t Width>
HWY_INLINE void compute_delta(const NeuronPass& pass, std::size_t i,
                              const Rows& rows, typename Piece<Width>::V* x) {
  using P = Piece<Width>;
  const typename P::D d;
  const NeuronProgram& program = *pass.program;
  const Node& node = program.nodes[i];
  const float* own = rows.deltas + i * Width;
  const float* values = rows.values + (program.inputs + i) * Width;
  // neuron_loss left the gradient of an output in `own`. For MeanSquared it is
  // that of the value, which still has to pass through the activation; for the
  // cross entropies it is already that of the sum and is added at the end.
  const bool from_value = node.is_output && program.loss == Loss::MeanSquared;
  for (std::size_t v = 0; v < P::kVectors; ++v) {
    x[v] = from_value ? hn::Load(d, own + v * P::kLanes) : hn::Zero(d);
  }
  const Edge* const end = program.out_edges.data() + node.out_end;
  for (const Edge* e = program.out_edges.data() + node.out_begin; e < end;
       ++e) {
    const auto weight = hn::Set(d, pass.weights[e->weight]);
    const float* to = rows.deltas + e->row * static_cast<std::ptrdiff_t>(Width);
    for (std::size_t v = 0; v < P::kVectors; ++v) {
      x[v] = hn::MulAdd(weight, hn::Load(d, to + v * P::kLanes), x[v]);
    }
  }
  with_kernel(d, node.activation, [&](auto kernel) HWY_ATTR {
    for (std::size_t v = 0; v < P::kVectors; ++v) {
      const auto y = hn::Load(d, values + v * P::kLanes);
      x[v] = kernel.gradient(d, x[v], y);
    }
  });
  if (!node.is_output || from_value) return;
  for (std::size_t v = 0; v < P::kVectors; ++v) {
    x[v] = hn::Add(x[v], hn::Load(d, own + v * P::kLanes));
  }
}

template <std::size_t Width>
HWY_INLINE void add_to_slot(typename Piece<Width>::V x, const NeuronPass& pass,
                            std::size_t index) {
  const typename Piece<Width>::D d;
  float* slot = pass.slots + index * hn::Lanes(hn::ScalableTag<float>());
  hn::Store(hn::Add(x, hn::Load(d, slot)), d, slot);
}

// Adds delta times source value to the slot of each incoming edge.
template <std::size_t Width>
HWY_INLINE void add_gradients(const NeuronPass& pass, const Node& node,
                              const float* values,
                              const typename Piece<Width>::V* x) {
  using P = Piece<Width>;
  const typename P::D d;
  for (std::uint32_t e = node.in_begin; e < node.in_end; ++e) {
    const float* from = values + pass.program->in_edges[e].row *
                                     static_cast<std::ptrdiff_t>(Width);
    auto sum = hn::Mul(x[0], hn::Load(d, from));
    for (std::size_t v = 1; v < P::kVectors; ++v) {
      sum = hn::MulAdd(x[v], hn::Load(d, from + v * P::kLanes), sum);
    }
    add_to_slot<Width>(sum, pass, e);
  }
}

template <std::size_t Width>
HWY_INLINE void backward_node(const NeuronPass& pass, std::size_t i,
                              const Rows& rows) {
  using P = Piece<Width>;
  const typename P::D d;
  const Node& node = pass.program->nodes[i];
  typename P::V x[P::kVectors];
  compute_delta<Width>(pass, i, rows, x);
  auto total = hn::Zero(d);
  for (std::size_t v = 0; v < P::kVectors; ++v) {
    hn::Store(x[v], d, rows.deltas + i * Width + v * P::kLanes);
    total = hn::Add(total, x[v]);
  }
  add_to_slot<Width>(total, pass, pass.program->bias_of(i));
  if (node.aggregation == Aggregation::Sum) {
    return add_gradients<Width>(pass, node, rows.values, x);
  }
  for (std::size_t v = 0; v < P::kVectors; ++v) {
    const std::size_t at = v * P::kLanes;
    const SeparateEdges<typename P::D> edges{
        pass, node, {rows.values + at, rows.deltas + at}};
    edges.spread(x[v]);
    edges.add_gradients();
  }
}

template <std::size_t Width>
void backward(const NeuronPass& pass) {
  for (std::size_t step = pass.steps; step-- > 0;) {
    const Rows rows = {pass.values_at(step), pass.deltas_at(step)};
    for (std::size_t i = pass.program->nodes.size(); i-- > 0;) {
      for (std::size_t at = 0; at < Width; at += Piece<Width>::kSize) {
        backward_node<Width>(pass, i, {rows.values + at, rows.deltas + at});
      }
    }
  }
}

}  // namespace

// A template per width, so that the loops over vectors unroll completely.
void backward_here(const NeuronPass& pass) {
  switch (pass.width) {
    case 4:
      return backward<4>(pass);
    case 8:
      return backward<8>(pass);
    case 16:
      return backward<16>(pass);
    case 32:
      return backward<32>(pass);
    default:
      return backward<64>(pass);
  }
}

}  // namespace lamarck::evolution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::evolution {

HWY_EXPORT(backward_here);

void neuron_backward(const NeuronPass& pass) {
  HWY_DYNAMIC_DISPATCH(backward_here)(pass);
}

}  // namespace lamarck::evolution
#endif
