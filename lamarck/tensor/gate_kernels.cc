#include "lamarck/tensor/gate_kernels.h"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/gate_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls body(tag, at) with tags of decreasing width until `count` is covered.
template <class F>
void for_each_piece(std::size_t count, F&& body) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 4> quarter;
  const hn::CappedTag<float, 1> single;
  std::size_t at = 0;
  for (; at + hn::Lanes(whole) <= count; at += hn::Lanes(whole)) {
    body(whole, at);
  }
  for (; at + hn::Lanes(quarter) <= count; at += hn::Lanes(quarter)) {
    body(quarter, at);
  }
  for (; at < count; ++at) body(single, at);
}

bool is_held(const GateStep& step, std::size_t row) {
  return step.mask != nullptr && !(step.mask[row] > 0.5f);
}

// Returns y, which was computed from x, or NaN if x is NaN. The bounds below
// would turn NaN into an ordinary number and hide a training run that diverged.
template <class V>
V unless_nan(V x, V y) {
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

// The bounds keep exp from overflowing.
template <class D, class V>
HWY_INLINE V logistic(D d, V x) {
  const V bounded = hn::Max(hn::Min(x, hn::Set(d, 87.0f)), hn::Set(d, -87.0f));
  const V one = hn::Set(d, 1.0f);
  const V power = hn::Exp(d, hn::Neg(bounded));
  return unless_nan(x, hn::Div(one, hn::Add(one, power)));
}

// tanh(x) as x P(x^2) / Q(x^2), fitted for the smallest relative error up to 9,
// where tanh rounds to 1. Within 4e-7 of tanh(x), in a third of the time of
// Highway's Tanh. The bounds keep 1 - y^2 from becoming negative.
template <class D, class V>
HWY_INLINE V hyperbolic(D d, V x) {
  const V limit = hn::Set(d, 9.0f);
  const V one = hn::Set(d, 1.0f);
  const V bounded = hn::Max(hn::Min(x, limit), hn::Neg(limit));
  const V square = hn::Mul(bounded, bounded);
  const auto c = [&](float value) { return hn::Set(d, value); };
  V p = hn::MulAdd(square, c(1.33549358e-8f), c(2.06092991e-5f));
  V q = hn::MulAdd(square, c(7.77667594e-7f), c(3.28565686e-4f));
  p = hn::MulAdd(square, p, c(3.49560194e-3f));
  q = hn::MulAdd(square, q, c(2.58770362e-2f));
  p = hn::MulAdd(square, p, c(0.133810371f));
  q = hn::MulAdd(square, q, c(0.467143536f));
  p = hn::MulAdd(square, p, one);
  q = hn::MulAdd(square, q, one);
  const V ratio = hn::Div(hn::Mul(bounded, p), q);
  return unless_nan(x, hn::Max(hn::Min(ratio, one), hn::Neg(one)));
}

// d * y (1 - y): the gradient through the logistic function with value y.
template <class V>
V through_logistic(V d, V y) {
  return hn::Mul(d, hn::NegMulAdd(y, y, y));
}

// d * (1 - y^2): the gradient through tanh with value y.
template <class D, class V>
V through_tanh(D tag, V d, V y) {
  return hn::Mul(d, hn::NegMulAdd(y, y, hn::Set(tag, 1.0f)));
}

}  // namespace

void rnn_gates_here(const GateStep& step, const float* sums, const float* bias,
                    const float* h_before, float* h) {
  for (std::size_t row = 0; row < step.batch; ++row) {
    const std::size_t start = row * step.hidden;
    if (is_held(step, row)) {
      std::copy_n(h_before + start, step.hidden, h + start);
      continue;
    }
    for_each_piece(step.hidden, [&](auto d, std::size_t at) {
      const auto sum =
          hn::Add(hn::LoadU(d, sums + start + at), hn::LoadU(d, bias + at));
      hn::StoreU(hyperbolic(d, sum), d, h + start + at);
    });
  }
}

void rnn_gates_back_here(const GateStep& step, const float* h, const float* dy,
                         float* dh, float* d_sums) {
  for (std::size_t row = 0; row < step.batch; ++row) {
    const bool held = is_held(step, row);
    const std::size_t start = row * step.hidden;
    for_each_piece(step.hidden, [&](auto d, std::size_t piece) {
      const std::size_t at = start + piece;
      const auto total = hn::Add(hn::LoadU(d, dh + at), hn::LoadU(d, dy + at));
      const auto zero = hn::Zero(d);
      const auto inner = through_tanh(d, total, hn::LoadU(d, h + at));
      hn::StoreU(held ? zero : inner, d, d_sums + at);
      hn::StoreU(held ? total : zero, d, dh + at);
    });
  }
}

void lstm_gates_here(const GateStep& step, const LstmGates& gates) {
  const std::size_t hidden = step.hidden;
  const float* b = gates.bias;
  for (std::size_t row = 0; row < step.batch; ++row) {
    float* sums = gates.sums + row * 4 * hidden;
    const float* c_before = gates.c_before + row * hidden;
    float* h = gates.h + row * hidden;
    float* c = gates.c + row * hidden;
    float* tanh_c = gates.tanh_c + row * hidden;
    float* y = gates.output + row * 2 * hidden;
    if (is_held(step, row)) {
      std::copy_n(gates.h_before + row * hidden, hidden, h);
      std::copy_n(c_before, hidden, c);
      std::copy_n(h, hidden, y);
      std::copy_n(c, hidden, y + hidden);
      continue;
    }
    for_each_piece(hidden, [&](auto d, std::size_t at) {
      const auto sum = [&](std::size_t gate) {
        return hn::Add(hn::LoadU(d, sums + gate * hidden + at),
                       hn::LoadU(d, b + gate * hidden + at));
      };
      const auto i = logistic(d, sum(0));
      const auto f = logistic(d, sum(1));
      const auto g = hyperbolic(d, sum(2));
      const auto o = logistic(d, sum(3));
      const auto cell =
          hn::MulAdd(f, hn::LoadU(d, c_before + at), hn::Mul(i, g));
      const auto squashed = hyperbolic(d, cell);
      const auto out = hn::Mul(o, squashed);
      hn::StoreU(i, d, sums + at);
      hn::StoreU(f, d, sums + hidden + at);
      hn::StoreU(g, d, sums + 2 * hidden + at);
      hn::StoreU(o, d, sums + 3 * hidden + at);
      hn::StoreU(cell, d, c + at);
      hn::StoreU(squashed, d, tanh_c + at);
      hn::StoreU(out, d, h + at);
      hn::StoreU(out, d, y + at);
      hn::StoreU(cell, d, y + hidden + at);
    });
  }
}

void lstm_gates_back_here(const GateStep& step, const LstmGatesBack& gates) {
  const std::size_t hidden = step.hidden;
  for (std::size_t row = 0; row < step.batch; ++row) {
    const float* gate = gates.gates + row * 4 * hidden;
    const float* tanh_c = gates.tanh_c + row * hidden;
    const float* c_before = gates.c_before + row * hidden;
    const float* dy = gates.dy + row * 2 * hidden;
    float* dh = gates.dh + row * hidden;
    float* dc = gates.dc + row * hidden;
    float* d_sums = gates.d_sums + row * 4 * hidden;
    if (is_held(step, row)) {
      for (std::size_t at = 0; at < hidden; ++at) {
        dh[at] += dy[at];
        dc[at] += dy[hidden + at];
      }
      std::fill_n(d_sums, 4 * hidden, 0.0f);
      continue;
    }
    for_each_piece(hidden, [&](auto d, std::size_t at) {
      const auto i = hn::LoadU(d, gate + at);
      const auto f = hn::LoadU(d, gate + hidden + at);
      const auto g = hn::LoadU(d, gate + 2 * hidden + at);
      const auto o = hn::LoadU(d, gate + 3 * hidden + at);
      const auto squashed = hn::LoadU(d, tanh_c + at);
      const auto to_h = hn::Add(hn::LoadU(d, dh + at), hn::LoadU(d, dy + at));
      const auto later =
          hn::Add(hn::LoadU(d, dc + at), hn::LoadU(d, dy + hidden + at));
      const auto to_c =
          hn::Add(later, through_tanh(d, hn::Mul(to_h, o), squashed));
      const auto to_f = hn::Mul(to_c, hn::LoadU(d, c_before + at));
      hn::StoreU(through_logistic(hn::Mul(to_c, g), i), d, d_sums + at);
      hn::StoreU(through_logistic(to_f, f), d, d_sums + hidden + at);
      hn::StoreU(through_tanh(d, hn::Mul(to_c, i), g), d,
                 d_sums + 2 * hidden + at);
      hn::StoreU(through_logistic(hn::Mul(to_h, squashed), o), d,
                 d_sums + 3 * hidden + at);
      hn::StoreU(hn::Mul(to_c, f), d, dc + at);
      hn::StoreU(hn::Zero(d), d, dh + at);
    });
  }
}

void gru_gates_here(const GateStep& step, const GruGates& gates) {
  const std::size_t hidden = step.hidden;
  for (std::size_t row = 0; row < step.batch; ++row) {
    float* x_sums = gates.x_sums + row * 3 * hidden;
    const float* h_sums = gates.h_sums + row * 3 * hidden;
    const float* h_before = gates.h_before + row * hidden;
    float* h = gates.h + row * hidden;
    float* h_n = gates.h_n + row * hidden;
    if (is_held(step, row)) {
      std::copy_n(h_before, hidden, h);
      continue;
    }
    for_each_piece(hidden, [&](auto d, std::size_t at) {
      const auto x_part = [&](std::size_t gate) {
        return hn::Add(hn::LoadU(d, x_sums + gate * hidden + at),
                       hn::LoadU(d, gates.x_bias + gate * hidden + at));
      };
      const auto h_part = [&](std::size_t gate) {
        return hn::Add(hn::LoadU(d, h_sums + gate * hidden + at),
                       hn::LoadU(d, gates.h_bias + gate * hidden + at));
      };
      const auto r = logistic(d, hn::Add(x_part(0), h_part(0)));
      const auto z = logistic(d, hn::Add(x_part(1), h_part(1)));
      const auto inner = h_part(2);
      const auto n = hyperbolic(d, hn::MulAdd(r, inner, x_part(2)));
      // (1 - z) n + z h = n + z (h - n)
      const auto kept = hn::Sub(hn::LoadU(d, h_before + at), n);
      hn::StoreU(r, d, x_sums + at);
      hn::StoreU(z, d, x_sums + hidden + at);
      hn::StoreU(n, d, x_sums + 2 * hidden + at);
      hn::StoreU(inner, d, h_n + at);
      hn::StoreU(hn::MulAdd(z, kept, n), d, h + at);
    });
  }
}

void gru_gates_back_here(const GateStep& step, const GruGatesBack& gates) {
  const std::size_t hidden = step.hidden;
  for (std::size_t row = 0; row < step.batch; ++row) {
    const float* gate = gates.gates + row * 3 * hidden;
    const float* h_n = gates.h_n + row * hidden;
    const float* h_before = gates.h_before + row * hidden;
    const float* dy = gates.dy + row * hidden;
    float* dh = gates.dh + row * hidden;
    float* d_x = gates.d_x_sums + row * 3 * hidden;
    float* d_h = gates.d_h_sums + row * 3 * hidden;
    if (is_held(step, row)) {
      for (std::size_t at = 0; at < hidden; ++at) dh[at] += dy[at];
      std::fill_n(d_x, 3 * hidden, 0.0f);
      std::fill_n(d_h, 3 * hidden, 0.0f);
      continue;
    }
    for_each_piece(hidden, [&](auto d, std::size_t at) {
      const auto r = hn::LoadU(d, gate + at);
      const auto z = hn::LoadU(d, gate + hidden + at);
      const auto n = hn::LoadU(d, gate + 2 * hidden + at);
      const auto total = hn::Add(hn::LoadU(d, dh + at), hn::LoadU(d, dy + at));
      const auto kept = hn::Sub(hn::LoadU(d, h_before + at), n);
      const auto to_n = through_tanh(d, hn::NegMulAdd(total, z, total), n);
      const auto to_r =
          through_logistic(hn::Mul(to_n, hn::LoadU(d, h_n + at)), r);
      const auto to_z = through_logistic(hn::Mul(total, kept), z);
      hn::StoreU(to_r, d, d_x + at);
      hn::StoreU(to_z, d, d_x + hidden + at);
      hn::StoreU(to_n, d, d_x + 2 * hidden + at);
      hn::StoreU(to_r, d, d_h + at);
      hn::StoreU(to_z, d, d_h + hidden + at);
      hn::StoreU(hn::Mul(to_n, r), d, d_h + 2 * hidden + at);
      hn::StoreU(hn::Mul(total, z), d, dh + at);
    });
  }
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(rnn_gates_here);
HWY_EXPORT(rnn_gates_back_here);
HWY_EXPORT(lstm_gates_here);
HWY_EXPORT(lstm_gates_back_here);
HWY_EXPORT(gru_gates_here);
HWY_EXPORT(gru_gates_back_here);

void rnn_gates(const GateStep& step, const float* sums, const float* bias,
               const float* h_before, float* h) {
  HWY_DYNAMIC_DISPATCH(rnn_gates_here)(step, sums, bias, h_before, h);
}
void rnn_gates_back(const GateStep& step, const float* h, const float* dy,
                    float* dh, float* d_sums) {
  HWY_DYNAMIC_DISPATCH(rnn_gates_back_here)(step, h, dy, dh, d_sums);
}
void lstm_gates(const GateStep& step, const LstmGates& gates) {
  HWY_DYNAMIC_DISPATCH(lstm_gates_here)(step, gates);
}
void lstm_gates_back(const GateStep& step, const LstmGatesBack& gates) {
  HWY_DYNAMIC_DISPATCH(lstm_gates_back_here)(step, gates);
}
void gru_gates(const GateStep& step, const GruGates& gates) {
  HWY_DYNAMIC_DISPATCH(gru_gates_here)(step, gates);
}
void gru_gates_back(const GateStep& step, const GruGatesBack& gates) {
  HWY_DYNAMIC_DISPATCH(gru_gates_back_here)(step, gates);
}

}  // namespace lamarck
#endif
