#include "lamarck/tensor/binary_ops.h"

#include <algorithm>
#include <array>

#include "lamarck/base/named_entry.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/binary_ops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr D kTag{};
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);

V constant(float value) { return hn::Set(kTag, value); }
V one_where(M mask) { return hn::IfThenElseZero(mask, constant(1)); }

struct Add {
  static constexpr BinaryOp kTraits{.name = "add",
                                    .what = "a + b",
                                    .onnx = "Add(a, b)",
                                    .slopes_are_constant = true,
                                    .slope_is_one = {true, true}};
  static V value(V a, V b) { return hn::Add(a, b); }
  static V slope_a(V, V) { return constant(1); }
  static V slope_b(V, V) { return constant(1); }
};
struct Sub {
  static constexpr BinaryOp kTraits{.name = "sub",
                                    .what = "a - b",
                                    .onnx = "Sub(a, b)",
                                    .slopes_are_constant = true,
                                    .slope_is_one = {true, false}};
  static V value(V a, V b) { return hn::Sub(a, b); }
  static V slope_a(V, V) { return constant(1); }
  static V slope_b(V, V) { return constant(-1); }
};
struct Mul {
  static constexpr BinaryOp kTraits{
      .name = "mul",
      .what = "the elementwise product of a and b",
      .onnx = "Mul(a, b)"};
  static V value(V a, V b) { return hn::Mul(a, b); }
  static V slope_a(V, V b) { return b; }
  static V slope_b(V a, V) { return a; }
};
struct Div {
  static constexpr BinaryOp kTraits{.name = "div",
                                    .what = "a / b",
                                    .onnx = "Div(a, b)",
                                    .b_low = 0.5f,
                                    .b_high = 3};
  static V value(V a, V b) { return hn::Div(a, b); }
  static V slope_a(V, V b) { return hn::Div(constant(1), b); }
  static V slope_b(V a, V b) { return hn::Neg(hn::Div(a, hn::Mul(b, b))); }
};
// The slope of max(a, b) with respect to a: 1 where a is larger, and one half
// where both are equal, as in PyTorch.
V slope_of_larger(V a, V b) {
  const V half = hn::IfThenElseZero(hn::Eq(a, b), constant(0.5f));
  return hn::IfThenElse(hn::Gt(a, b), constant(1), half);
}

// `y`, or NaN if a or b is NaN: Highway leaves open which operand Max and Min
// return then.
V or_nan(V a, V b, V y) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), y);
}

struct Maximum {
  static constexpr BinaryOp kTraits{.name = "maximum",
                                    .what = "the larger of a and b",
                                    .onnx = "Max(a, b)",
                                    .has_kink = true};
  static V value(V a, V b) { return or_nan(a, b, hn::Max(a, b)); }
  static V slope_a(V a, V b) { return slope_of_larger(a, b); }
  static V slope_b(V a, V b) { return slope_of_larger(b, a); }
};
struct Minimum {
  static constexpr BinaryOp kTraits{.name = "minimum",
                                    .what = "the smaller of a and b",
                                    .onnx = "Min(a, b)",
                                    .has_kink = true};
  static V value(V a, V b) { return or_nan(a, b, hn::Min(a, b)); }
  static V slope_a(V a, V b) { return slope_of_larger(b, a); }
  static V slope_b(V a, V b) { return slope_of_larger(a, b); }
};

// Unlike a product with a mask, it does not read what is masked, so that NaN in
// padding stays out of values and gradients.
struct Masked {
  static constexpr BinaryOp kTraits{.name = "masked",
                                    .what = "a where b is not 0, else 0",
                                    .onnx = "Where(Cast(b; to=9), a, 0)",
                                    .b_low = 0.5f};
  static V value(V a, V b) {
    const V kept = hn::IfThenElseZero(hn::Ne(b, hn::Zero(kTag)), a);
    return hn::IfThenElse(hn::IsNaN(b), b, kept);
  }
  static V slope_a(V, V b) { return one_where(hn::Ne(b, hn::Zero(kTag))); }
  static V slope_b(V, V) { return hn::Zero(kTag); }
};

// The base of comparisons, whose slopes are 0 everywhere.
struct Flat {
  static V slope_a(V, V) { return hn::Zero(kTag); }
  static V slope_b(V, V) { return hn::Zero(kTag); }
};
struct Greater : Flat {
  static constexpr BinaryOp kTraits{.name = "greater",
                                    .what = "1 where a > b, else 0",
                                    .onnx = "Cast(Greater(a, b); to=1)",
                                    .is_comparison = true,
                                    .has_kink = true};
  static V value(V a, V b) { return one_where(hn::Gt(a, b)); }
};
struct GreaterEqual : Flat {
  static constexpr BinaryOp kTraits{.name = "greater_equal",
                                    .what = "1 where a >= b, else 0",
                                    .onnx = "Cast(GreaterOrEqual(a, b); to=1)",
                                    .is_comparison = true,
                                    .has_kink = true};
  static V value(V a, V b) { return one_where(hn::Ge(a, b)); }
};
struct Less : Flat {
  static constexpr BinaryOp kTraits{.name = "less",
                                    .what = "1 where a < b, else 0",
                                    .onnx = "Cast(Less(a, b); to=1)",
                                    .is_comparison = true,
                                    .has_kink = true};
  static V value(V a, V b) { return one_where(hn::Lt(a, b)); }
};
struct LessEqual : Flat {
  static constexpr BinaryOp kTraits{.name = "less_equal",
                                    .what = "1 where a <= b, else 0",
                                    .onnx = "Cast(LessOrEqual(a, b); to=1)",
                                    .is_comparison = true,
                                    .has_kink = true};
  static V value(V a, V b) { return one_where(hn::Le(a, b)); }
};
struct Equal : Flat {
  static constexpr BinaryOp kTraits{.name = "equal",
                                    .what = "1 where a == b, else 0",
                                    .onnx = "Cast(Equal(a, b); to=1)",
                                    .is_comparison = true,
                                    .has_kink = true};
  static V value(V a, V b) { return one_where(hn::Eq(a, b)); }
};
struct NotEqual : Flat {
  static constexpr BinaryOp kTraits{.name = "not_equal",
                                    .what = "1 where a != b, else 0",
                                    .onnx = "Cast(Not(Equal(a, b)); to=1)",
                                    .is_comparison = true,
                                    .has_kink = true};
  static V value(V a, V b) { return one_where(hn::Ne(a, b)); }
};

// Loads a vector from position i, or repeats the first element if the step is
// 0.
V load(const float* data, std::size_t step, std::size_t i) {
  return step == 0 ? hn::Set(kTag, *data) : hn::LoadU(kTag, data + i);
}

// Loads the last few elements, padded with `padding`: a full vector would read
// past the end of the array.
V load_tail(const float* data, std::size_t step, std::size_t i,
            std::size_t count, float padding) {
  if (step == 0) return hn::Set(kTag, *data);
  HWY_ALIGN float lanes[kMaxLanes];
  std::fill_n(lanes, hn::Lanes(kTag), padding);
  std::copy(data + i, data + count, lanes);
  return hn::Load(kTag, lanes);
}

void store_tail(V value, float* to, std::size_t count) {
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(value, kTag, lanes);
  std::copy_n(lanes, count, to);
}

template <class Op>
void value_loop(const float* a, std::size_t a_step, const float* b,
                std::size_t b_step, float* y, std::size_t count) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(Op::value(load(a, a_step, i), load(b, b_step, i)), kTag, y + i);
  }
  if (i == count) return;
  // b is padded with 1, so that unused lanes do not divide by 0.
  store_tail(Op::value(load_tail(a, a_step, i, count, 0),
                       load_tail(b, b_step, i, count, 1)),
             y + i, count - i);
}

template <V (*Slope)(V, V)>
void gradient_loop(const float* a, std::size_t a_step, const float* b,
                   std::size_t b_step, const float* dy, float* out,
                   std::size_t count) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V slope = Slope(load(a, a_step, i), load(b, b_step, i));
    hn::StoreU(hn::Mul(slope, hn::LoadU(kTag, dy + i)), kTag, out + i);
  }
  if (i == count) return;
  const V slope = Slope(load_tail(a, a_step, i, count, 0),
                        load_tail(b, b_step, i, count, 1));
  store_tail(hn::Mul(slope, load_tail(dy, 1, i, count, 0)), out + i, count - i);
}

template <class Op>
BinaryOp row() {
  BinaryOp op = Op::kTraits;
  op.value = value_loop<Op>;
  op.gradient_a = gradient_loop<Op::slope_a>;
  op.gradient_b = gradient_loop<Op::slope_b>;
  return op;
}

}  // namespace

// The list that binary_ops() returns.
std::span<const BinaryOp> binary_table() {
  static const std::array kTable = {
      row<Add>(),          row<Sub>(),     row<Mul>(),       row<Div>(),
      row<Maximum>(),      row<Minimum>(), row<Masked>(),    row<Greater>(),
      row<GreaterEqual>(), row<Less>(),    row<LessEqual>(), row<Equal>(),
      row<NotEqual>(),
  };
  return kTable;
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(binary_table);

std::span<const BinaryOp> binary_ops() {
  static const std::span<const BinaryOp> kOps =
      HWY_DYNAMIC_DISPATCH(binary_table)();
  return kOps;
}

const BinaryOp& binary_op(std::string_view name) {
  return find_entry(binary_ops(), name, "function");
}

BroadcastPlan::BroadcastPlan(const Shape& a, const Shape& b, const Shape& out) {
  const auto from_a = broadcast_strides(a, out);
  const auto from_b = broadcast_strides(b, out);
  // From the innermost axis outward: merge an axis with the one inside it if,
  // on both sides, one step along it equals a whole walk along the inner axis.
  struct Axis {
    std::int64_t size, a_stride, b_stride;
  };
  std::array<Axis, Shape::kMaxRank> axes{};
  std::size_t count = 0;
  for (std::size_t i = out.rank(); i-- > 0;) {
    const Axis axis{out[i], from_a[i], from_b[i]};
    if (axis.size == 1) continue;
    if (count > 0) {
      Axis& inner = axes[count - 1];
      if (axis.a_stride == inner.a_stride * inner.size &&
          axis.b_stride == inner.b_stride * inner.size) {
        inner.size *= axis.size;
        continue;
      }
    }
    axes[count++] = axis;
  }
  if (count == 0) return;
  row_size = axes[0].size;
  a_step = static_cast<std::size_t>(axes[0].a_stride);
  b_step = static_cast<std::size_t>(axes[0].b_stride);
  rank = count - 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const Axis& axis = axes[count - 1 - i];
    sizes[i] = axis.size;
    a_strides[i] = axis.a_stride;
    b_strides[i] = axis.b_stride;
    row_count *= axis.size;
  }
}

namespace {

// Calls row(offset in a, offset in b, offset in y) for each row of the plan.
// The offsets advance like an odometer, without divisions.
template <class F>
void for_each_row(const BroadcastPlan& plan, F&& row) {
  std::array<std::int64_t, Shape::kMaxRank> index{};
  std::int64_t at_a = 0;
  std::int64_t at_b = 0;
  for (std::int64_t i = 0; i < plan.row_count; ++i) {
    row(at_a, at_b, i * plan.row_size);
    for (std::size_t axis = plan.rank; axis-- > 0;) {
      at_a += plan.a_strides[axis];
      at_b += plan.b_strides[axis];
      if (++index[axis] < plan.sizes[axis]) break;
      at_a -= plan.a_strides[axis] * plan.sizes[axis];
      at_b -= plan.b_strides[axis] * plan.sizes[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

void run_binary(const BinaryOp& op, const BroadcastPlan& plan, const float* a,
                const float* b, float* y) {
  for_each_row(plan,
               [&](std::int64_t at_a, std::int64_t at_b, std::int64_t at_y) {
                 op.value(a + at_a, plan.a_step, b + at_b, plan.b_step,
                          y + at_y, static_cast<std::size_t>(plan.row_size));
               });
}

void run_binary_gradient(BinaryOp::Gradient gradient, const BroadcastPlan& plan,
                         const float* a, const float* b, const float* dy,
                         float* out) {
  for_each_row(
      plan, [&](std::int64_t at_a, std::int64_t at_b, std::int64_t at_y) {
        gradient(a + at_a, plan.a_step, b + at_b, plan.b_step, dy + at_y,
                 out + at_y, static_cast<std::size_t>(plan.row_size));
      });
}

}  // namespace lamarck
#endif
