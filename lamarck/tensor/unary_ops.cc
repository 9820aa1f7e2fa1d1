#include "lamarck/tensor/unary_ops.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/named_entry.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/unary_ops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kTag{};
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);

V constant(float value) { return hn::Set(kTag, value); }

// Applies f to each lane, for functions that Highway does not have.
template <class F>
V each_lane(V x, F&& f) {
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(x, kTag, lanes);
  for (std::size_t i = 0; i < hn::Lanes(kTag); ++i) lanes[i] = f(lanes[i]);
  return hn::Load(kTag, lanes);
}

// exp(x) without infinity, so that callers do not compute infinity - infinity
// or 0 * infinity. Exactly 0 below -87, where the result would be subnormal.
V bounded_exp(V x) {
  const V lowest = constant(-87);
  return hn::IfThenElseZero(
      hn::Ge(x, lowest),
      hn::Exp(kTag, hn::Max(hn::Min(x, constant(88)), lowest)));
}

V logistic(V x) {
  return hn::IfThenElseZero(
      hn::Ge(x, constant(-87)),
      hn::Div(constant(1), hn::Add(constant(1), bounded_exp(hn::Neg(x)))));
}

V where_positive(V x, V yes, V no) {
  return hn::IfThenElse(hn::Gt(x, hn::Zero(kTag)), yes, no);
}

// Each function has value(x, p), slope(x, y, p), and in kTraits the fields of
// its UnaryOp that differ from the defaults. Only a few use the parameters p.
struct Neg {
  static constexpr UnaryOp kTraits{
      .name = "neg", .what = "-x", .onnx = "Neg(x)", .slope_reads_x = false};
  static V value(V x, const float*) { return hn::Neg(x); }
  static V slope(V, V, const float*) { return constant(-1); }
};
struct Relu {
  static constexpr UnaryOp kTraits{.name = "relu",
                                   .what = "x if x > 0, else 0",
                                   .onnx = "Relu(x)",
                                   .is_activation = true,
                                   .slope_reads_x = false,
                                   .slope_reads_y = true,
                                   .kink_count = 1};
  // The order of operands matters: on x86, Max returns the second one if either
  // is NaN, so a NaN in x propagates.
  static V value(V x, const float*) { return hn::Max(hn::Zero(kTag), x); }
  static V slope(V, V y, const float*) {
    return where_positive(y, constant(1), hn::Zero(kTag));
  }
};
struct LeakyRelu {
  static constexpr UnaryOp kTraits{.name = "leaky_relu",
                                   .what = "x if x > 0, else p0 x",
                                   .onnx = "LeakyRelu(x; alpha=p0)",
                                   .parameter_count = 1,
                                   .default_parameters = {0.01f},
                                   .is_activation = true,
                                   .kink_count = 1};
  static V value(V x, const float* p) {
    return where_positive(x, x, hn::Mul(x, constant(p[0])));
  }
  static V slope(V x, V, const float* p) {
    return where_positive(x, constant(1), constant(p[0]));
  }
};
struct Sigmoid {
  static constexpr UnaryOp kTraits{.name = "sigmoid",
                                   .what = "1 / (1 + exp(-x)), from 0 to 1",
                                   .onnx = "Sigmoid(x)",
                                   .is_activation = true,
                                   .slope_reads_x = false,
                                   .slope_reads_y = true};
  static V value(V x, const float*) { return logistic(x); }
  static V slope(V, V y, const float*) {
    return hn::Mul(y, hn::Sub(constant(1), y));
  }
};
struct Tanh {
  static constexpr UnaryOp kTraits{.name = "tanh",
                                   .what = "hyperbolic tangent, from -1 to 1",
                                   .onnx = "Tanh(x)",
                                   .is_activation = true,
                                   .slope_reads_x = false,
                                   .slope_reads_y = true};
  static V value(V x, const float*) {
    // Beyond 10, tanh is 1 in float. The bound keeps huge inputs from
    // overflowing.
    return hn::Tanh(kTag, hn::Max(hn::Min(x, constant(10)), constant(-10)));
  }
  static V slope(V, V y, const float*) {
    return hn::NegMulAdd(y, y, constant(1));
  }
};
struct Step {
  static constexpr UnaryOp kTraits{
      .name = "step",
      .what = "1 if x >= 0, else 0; its slope is 0",
      .onnx = "Cast(GreaterOrEqual(x, 0); to=1)",
      .is_activation = true,
      .slope_reads_x = false,
      .kink_count = 1};
  static V value(V x, const float*) {
    return hn::IfThenElseZero(hn::Ge(x, hn::Zero(kTag)), constant(1));
  }
  static V slope(V, V, const float*) { return hn::Zero(kTag); }
};
struct Gelu {
  static constexpr UnaryOp kTraits{
      .name = "gelu",
      .what = "x times the standard normal distribution function of x",
      .onnx = "Mul(x, Mul(0.5, Add(1, Erf(Mul(x, 0.70710678)))))",
      .is_activation = true};
  static V cumulative(V x) {
    return each_lane(x, [](float lane) {
      return 0.5f * std::erfc(-lane * 0.70710678118654752f);
    });
  }
  static V value(V x, const float*) { return hn::Mul(x, cumulative(x)); }
  static V slope(V x, V, const float*) {
    const V half_square = hn::Mul(hn::Mul(x, x), constant(-0.5f));
    const V density =
        hn::Mul(constant(0.3989422804014327f), bounded_exp(half_square));
    return hn::MulAdd(x, density, cumulative(x));
  }
};
struct Silu {
  static constexpr UnaryOp kTraits{.name = "silu",
                                   .what = "x times sigmoid(x)",
                                   .onnx = "Mul(x, Sigmoid(x))",
                                   .is_activation = true};
  static V value(V x, const float*) { return hn::Mul(x, logistic(x)); }
  static V slope(V x, V, const float*) {
    const V s = logistic(x);
    return hn::Mul(s, hn::MulAdd(x, hn::Sub(constant(1), s), constant(1)));
  }
};
struct Softplus {
  static constexpr UnaryOp kTraits{.name = "softplus",
                                   .what = "log(1 + exp(x)), a smooth relu",
                                   .onnx = "Softplus(x)",
                                   .is_activation = true};
  static V value(V x, const float*) {
    // max(x, 0) + log1p(exp(-|x|)) does not overflow and keeps small terms
    // exact.
    const V small = bounded_exp(hn::Neg(hn::Abs(x)));
    return hn::Add(hn::Max(x, hn::Zero(kTag)), hn::Log1p(kTag, small));
  }
  static V slope(V x, V, const float*) { return logistic(x); }
};
struct Elu {
  static constexpr UnaryOp kTraits{.name = "elu",
                                   .what = "x if x > 0, else p0 (exp(x) - 1)",
                                   .onnx = "Elu(x; alpha=p0)",
                                   .parameter_count = 1,
                                   .default_parameters = {1.0f},
                                   .is_activation = true,
                                   .slope_reads_y = true,
                                   .kink_count = 1};
  static V value(V x, const float* p) {
    const V low = hn::Max(hn::Min(x, hn::Zero(kTag)), constant(-87));
    return where_positive(x, x, hn::Mul(constant(p[0]), hn::Expm1(kTag, low)));
  }
  static V slope(V x, V y, const float* p) {
    return where_positive(x, constant(1), hn::Add(y, constant(p[0])));
  }
};
struct Exp {
  static constexpr UnaryOp kTraits{.name = "exp",
                                   .what = "e to the power of x",
                                   .onnx = "Exp(x)",
                                   .slope_reads_x = false,
                                   .slope_reads_y = true};
  static V value(V x, const float*) {
    // std::exp is accurate near overflow and underflow, and handles NaN.
    if (hn::AllTrue(kTag, hn::Le(hn::Abs(x), constant(87)))) {
      return hn::Exp(kTag, x);
    }
    return each_lane(x, [](float lane) { return std::exp(lane); });
  }
  static V slope(V, V y, const float*) { return y; }
};
struct Log {
  static constexpr UnaryOp kTraits{.name = "log",
                                   .what = "natural logarithm of x",
                                   .onnx = "Log(x)",
                                   .domain_low = 0.2f,
                                   .domain_high = 4};
  static V value(V x, const float*) {
    return each_lane(x, [](float lane) { return std::log(lane); });
  }
  static V slope(V x, V, const float*) { return hn::Div(constant(1), x); }
};
struct Sqrt {
  static constexpr UnaryOp kTraits{.name = "sqrt",
                                   .what = "square root of x",
                                   .onnx = "Sqrt(x)",
                                   .slope_reads_x = false,
                                   .slope_reads_y = true,
                                   .domain_low = 0.2f,
                                   .domain_high = 4};
  static V value(V x, const float*) { return hn::Sqrt(x); }
  static V slope(V, V y, const float*) { return hn::Div(constant(0.5f), y); }
};
struct Square {
  static constexpr UnaryOp kTraits{
      .name = "square", .what = "x squared", .onnx = "Mul(x, x)"};
  static V value(V x, const float*) { return hn::Mul(x, x); }
  static V slope(V x, V, const float*) { return hn::Add(x, x); }
};
struct Reciprocal {
  static constexpr UnaryOp kTraits{.name = "reciprocal",
                                   .what = "1 / x",
                                   .onnx = "Reciprocal(x)",
                                   .slope_reads_x = false,
                                   .slope_reads_y = true,
                                   .domain_low = 0.3f,
                                   .domain_high = 3};
  static V value(V x, const float*) { return hn::Div(constant(1), x); }
  static V slope(V, V y, const float*) { return hn::Neg(hn::Mul(y, y)); }
};
struct Abs {
  static constexpr UnaryOp kTraits{.name = "abs",
                                   .what = "the absolute value of x",
                                   .onnx = "Abs(x)",
                                   .kink_count = 1};
  static V value(V x, const float*) { return hn::Abs(x); }
  static V slope(V x, V, const float*) {
    const V falling =
        hn::IfThenElseZero(hn::Lt(x, hn::Zero(kTag)), constant(-1));
    return where_positive(x, constant(1), falling);
  }
};
struct Sin {
  static constexpr UnaryOp kTraits{.name = "sin",
                                   .what = "sine of x, in radians",
                                   .onnx = "Sin(x)",
                                   .is_activation = true};
  static V value(V x, const float*) {
    return each_lane(x, [](float lane) { return std::sin(lane); });
  }
  static V slope(V x, V, const float*) {
    return each_lane(x, [](float lane) { return std::cos(lane); });
  }
};
struct Cos {
  static constexpr UnaryOp kTraits{
      .name = "cos", .what = "cosine of x, in radians", .onnx = "Cos(x)"};
  static V value(V x, const float*) {
    return each_lane(x, [](float lane) { return std::cos(lane); });
  }
  static V slope(V x, V, const float*) {
    return each_lane(x, [](float lane) { return -std::sin(lane); });
  }
};
struct Pow {
  static constexpr UnaryOp kTraits{.name = "pow",
                                   .what = "x to the power of p0",
                                   .onnx = "Pow(x, p0)",
                                   .parameter_count = 1,
                                   .default_parameters = {2.5f},
                                   .domain_low = 0.2f,
                                   .domain_high = 3};
  static V value(V x, const float* p) {
    return each_lane(x, [&](float lane) { return std::pow(lane, p[0]); });
  }
  static V slope(V x, V, const float* p) {
    // The slope of x^0 is 0 at 0 too, where the formula gives 0 * infinity.
    if (p[0] == 0) return hn::Zero(kTag);
    return each_lane(
        x, [&](float lane) { return p[0] * std::pow(lane, p[0] - 1); });
  }
};
struct Clamp {
  static constexpr UnaryOp kTraits{
      .name = "clamp",
      .what = "x limited to the range from p0 to p1",
      .onnx = "Clip(x, p0, p1)",
      .parameter_count = 2,
      .default_parameters = {-1.0f, 1.0f},
      .kink_count = 2,
      .kinks = {-1.0f, 1.0f}};
  static V value(V x, const float* p) {
    return hn::Min(hn::Max(x, constant(p[0])), constant(p[1]));
  }
  static V slope(V x, V, const float* p) {
    const auto is_inside =
        hn::And(hn::Ge(x, constant(p[0])), hn::Le(x, constant(p[1])));
    return hn::IfThenElseZero(is_inside, constant(1));
  }
};

// Returns NaN for NaN. Bounds and comparisons would replace it by a number and
// hide a computation that went wrong.
template <class Op>
V value_or_nan(V x, const float* parameters) {
  return hn::IfThenElse(hn::IsNaN(x), x, Op::value(x, parameters));
}

template <class Op>
void value_loop(const float* x, float* y, std::size_t count,
                const float* parameters) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(value_or_nan<Op>(hn::LoadU(kTag, x + i), parameters), kTag,
               y + i);
  }
  if (i == count) return;
  HWY_ALIGN float tail[kMaxLanes] = {};
  std::copy(x + i, x + count, tail);
  hn::Store(value_or_nan<Op>(hn::Load(kTag, tail), parameters), kTag, tail);
  std::copy_n(tail, count - i, y + i);
}

template <class Op>
void gradient_loop(const float* x, const float* y, const float* dy, float* dx,
                   std::size_t count, const float* parameters,
                   bool accumulate) {
  const std::size_t lanes = hn::Lanes(kTag);
  const auto contribution = [&](const float* at_x, const float* at_y,
                                const float* at_dy) {
    const V slope =
        Op::slope(hn::LoadU(kTag, at_x), hn::LoadU(kTag, at_y), parameters);
    return hn::Mul(slope, hn::LoadU(kTag, at_dy));
  };
  std::size_t i = 0;
  if (accumulate) {
    for (; i + lanes <= count; i += lanes) {
      const V added = contribution(x + i, y + i, dy + i);
      hn::StoreU(hn::Add(hn::LoadU(kTag, dx + i), added), kTag, dx + i);
    }
  } else {
    for (; i + lanes <= count; i += lanes) {
      hn::StoreU(contribution(x + i, y + i, dy + i), kTag, dx + i);
    }
  }
  if (i == count) return;
  HWY_ALIGN float tails[3][kMaxLanes] = {};
  std::copy(x + i, x + count, tails[0]);
  std::copy(y + i, y + count, tails[1]);
  std::copy(dy + i, dy + count, tails[2]);
  hn::Store(contribution(tails[0], tails[1], tails[2]), kTag, tails[0]);
  for (std::size_t k = 0; i + k < count; ++k) {
    dx[i + k] = accumulate ? dx[i + k] + tails[0][k] : tails[0][k];
  }
}

template <class Op>
UnaryOp row() {
  UnaryOp op = Op::kTraits;
  op.value = value_loop<Op>;
  op.gradient = gradient_loop<Op>;
  return op;
}

}  // namespace

// The list that unary_ops() returns.
std::span<const UnaryOp> unary_table() {
  static const std::array kTable = {
      row<Neg>(),      row<Relu>(),   row<LeakyRelu>(),  row<Sigmoid>(),
      row<Tanh>(),     row<Step>(),   row<Gelu>(),       row<Silu>(),
      row<Softplus>(), row<Elu>(),    row<Exp>(),        row<Log>(),
      row<Sqrt>(),     row<Square>(), row<Reciprocal>(), row<Abs>(),
      row<Sin>(),      row<Cos>(),    row<Pow>(),        row<Clamp>(),
  };
  return kTable;
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(unary_table);

std::span<const UnaryOp> unary_ops() {
  static const std::span<const UnaryOp> kOps =
      HWY_DYNAMIC_DISPATCH(unary_table)();
  return kOps;
}

const UnaryOp& unary_op(std::string_view name) {
  return find_entry(unary_ops(), name, "function");
}

}  // namespace lamarck
#endif
