#include "lamarck/formula/block_kernels.h"

#include <array>
#include <utility>

#include "lamarck/base/ensure.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/formula/block_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Must come after highway.h.
#include <hwy/contrib/math/math-inl.h>

#include "lamarck/formula/block_math.inc"
#include "lamarck/formula/block_rules.inc"

#ifndef LAMARCK_FORMULA_KERNEL_TABLE
#define LAMARCK_FORMULA_KERNEL_TABLE
namespace lamarck::formula {

constexpr std::size_t kOperandForms = 3;

// The kernels of one instruction set, by operation and operand form. Shared by
// all targets that this file is compiled for, hence the include guard.
struct KernelTable {
  std::array<std::array<ForwardKernel, kOperandForms>, kOpCount> forward{};
  std::array<std::array<BackwardKernel, kOperandForms>, kOpCount> backward{};
};

}  // namespace lamarck::formula
#endif

HWY_BEFORE_NAMESPACE();
namespace lamarck::formula::HWY_NAMESPACE {
namespace {

template <Op Which>
concept IsUnary = requires(V v) {
  Rule<Which>::value(v);
};
template <Op Which>
concept IsBinary = requires(V v) {
  Rule<Which>::value(v, v);
};
template <Op Which>
concept IsTernary = requires(V v) {
  Rule<Which>::value(v, v, v);
};
template <Op Which>
concept HasSlope = requires(V v) {
  Rule<Which>::slope(v, v);
};
template <Op Which>
concept HasSlopes = requires(V v) {
  Rule<Which>::slope_a(v, v, v);
};

// An operand that is a block, or one number broadcast to all rows.
template <bool IsNumber>
struct Operand {
  HWY_INLINE explicit Operand(const double* from)
      : from_(from), first_(hn::Zero(kTag)) {
    if constexpr (IsNumber) first_ = hn::Set(kTag, *from);
  }
  HWY_INLINE V at(std::size_t i) const {
    if constexpr (IsNumber) return first_;
    return hn::LoadU(kTag, from_ + i);
  }

 private:
  const double* from_;
  V first_;
};

constexpr bool first_is_number(Operands operands) {
  return operands == Operands::FirstIsNumber;
}
constexpr bool second_is_number(Operands operands) {
  return operands == Operands::SecondIsNumber;
}

template <Op Which>
void unary_forward(const double* a, const double*, const double*, double* out,
                   std::size_t rows) {
  for (std::size_t i = 0; i < rows; i += hn::Lanes(kTag)) {
    hn::StoreU(Rule<Which>::value(hn::LoadU(kTag, a + i)), kTag, out + i);
  }
}

// Products are faster than exp(b log(a)), and also work for negative bases.
void integer_power_forward(const double* a, int exponent, double* out,
                           std::size_t rows) {
  for (std::size_t i = 0; i < rows; i += hn::Lanes(kTag)) {
    hn::StoreU(integer_power(hn::LoadU(kTag, a + i), exponent), kTag, out + i);
  }
}

template <Op Which, Operands Form>
void binary_forward(const double* a, const double* b, const double*,
                    double* out, std::size_t rows) {
  if constexpr (Which == Op::Pow && second_is_number(Form)) {
    if (is_small_integer(*b)) {
      return integer_power_forward(a, static_cast<int>(*b), out, rows);
    }
  }
  const Operand<first_is_number(Form)> first(a);
  const Operand<second_is_number(Form)> second(b);
  for (std::size_t i = 0; i < rows; i += hn::Lanes(kTag)) {
    hn::StoreU(Rule<Which>::value(first.at(i), second.at(i)), kTag, out + i);
  }
}

template <Op Which>
void ternary_forward(const double* a, const double* b, const double* c,
                     double* out, std::size_t rows) {
  for (std::size_t i = 0; i < rows; i += hn::Lanes(kTag)) {
    hn::StoreU(
        Rule<Which>::value(hn::LoadU(kTag, a + i), hn::LoadU(kTag, b + i),
                           hn::LoadU(kTag, c + i)),
        kTag, out + i);
  }
}

// Computes target = [target +] adjoint * slope(i). Where the adjoint is 0 the
// result is 0 even if the slope is infinite or NaN, so that a branch of Where
// that was not taken does not spoil the others.
template <class Slope>
HWY_INLINE void accumulate(const Backflow::Target& target,
                           const double* adjoint, std::size_t rows,
                           Slope&& slope) {
  if (target.to == nullptr) return;
  const V zero = hn::Zero(kTag);
  const M adds = hn::Gt(number(target.adds ? 1 : 0), zero);
  for (std::size_t i = 0; i < rows; i += hn::Lanes(kTag)) {
    const V flow = hn::LoadU(kTag, adjoint + i);
    const V steep = hn::IfThenZeroElse(hn::Eq(flow, zero), slope(i));
    const V before = hn::IfThenElseZero(adds, hn::LoadU(kTag, target.to + i));
    hn::StoreU(hn::MulAdd(flow, steep, before), kTag, target.to + i);
  }
}

HWY_INLINE void accumulate_zero(const Backflow::Target& target,
                                std::size_t rows) {
  if (target.to == nullptr || target.adds) return;
  for (std::size_t i = 0; i < rows; i += hn::Lanes(kTag)) {
    hn::StoreU(hn::Zero(kTag), kTag, target.to + i);
  }
}

// For operations whose derivative is 0 everywhere.
void flat_backward(const Backflow& flow, std::size_t rows) {
  accumulate_zero(flow.da, rows);
  accumulate_zero(flow.db, rows);
  accumulate_zero(flow.dc, rows);
}

template <Op Which>
void unary_backward(const Backflow& flow, std::size_t rows) {
  accumulate(flow.da, flow.adjoint, rows, [&](std::size_t i) HWY_ATTR {
    return Rule<Which>::slope(hn::LoadU(kTag, flow.a + i),
                              hn::LoadU(kTag, flow.out + i));
  });
}

template <Op Which, Operands Form>
void binary_backward(const Backflow& flow, std::size_t rows) {
  const Operand<first_is_number(Form)> a(flow.a);
  const Operand<second_is_number(Form)> b(flow.b);
  accumulate(flow.da, flow.adjoint, rows, [&](std::size_t i) HWY_ATTR {
    return Rule<Which>::slope_a(a.at(i), b.at(i),
                                hn::LoadU(kTag, flow.out + i));
  });
  accumulate(flow.db, flow.adjoint, rows, [&](std::size_t i) HWY_ATTR {
    return Rule<Which>::slope_b(a.at(i), b.at(i),
                                hn::LoadU(kTag, flow.out + i));
  });
}

template <Op Which>
void ternary_backward(const Backflow& flow, std::size_t rows) {
  accumulate_zero(flow.da, rows);
  const V none = hn::Zero(kTag);
  accumulate(flow.db, flow.adjoint, rows, [&](std::size_t i) HWY_ATTR {
    return Rule<Which>::slope_b(hn::LoadU(kTag, flow.a + i), none, none, none);
  });
  accumulate(flow.dc, flow.adjoint, rows, [&](std::size_t i) HWY_ATTR {
    return Rule<Which>::slope_c(hn::LoadU(kTag, flow.a + i), none, none, none);
  });
}

template <Op Which, Operands Form>
constexpr ForwardKernel make_forward() {
  if constexpr (IsUnary<Which>) {
    return &unary_forward<Which>;
  } else if constexpr (IsBinary<Which>) {
    return &binary_forward<Which, Form>;
  } else if constexpr (IsTernary<Which>) {
    return &ternary_forward<Which>;
  } else {
    return nullptr;  // A leaf.
  }
}

template <Op Which, Operands Form>
constexpr BackwardKernel make_backward() {
  if constexpr (HasSlope<Which>) {
    return &unary_backward<Which>;
  } else if constexpr (HasSlopes<Which>) {
    return &binary_backward<Which, Form>;
  } else if constexpr (IsTernary<Which>) {
    return &ternary_backward<Which>;
  } else {
    return &flat_backward;
  }
}

template <Op Which>
void fill(KernelTable& table) {
  constexpr auto kAt = static_cast<std::size_t>(Which);
  table.forward[kAt] = {make_forward<Which, Operands::Blocks>(),
                        make_forward<Which, Operands::FirstIsNumber>(),
                        make_forward<Which, Operands::SecondIsNumber>()};
  table.backward[kAt] = {make_backward<Which, Operands::Blocks>(),
                         make_backward<Which, Operands::FirstIsNumber>(),
                         make_backward<Which, Operands::SecondIsNumber>()};
}

template <std::size_t... Ops>
void fill_all(KernelTable& table, std::index_sequence<Ops...>) {
  (fill<static_cast<Op>(Ops)>(table), ...);
}

}  // namespace

void fill_kernels_for_target(KernelTable& table) {
  fill_all(table, std::make_index_sequence<kOpCount>());
}

}  // namespace lamarck::formula::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::formula {

HWY_EXPORT(fill_kernels_for_target);

namespace {

const KernelTable& kernels() {
  static const KernelTable kTable = [] {
    KernelTable filled;
    HWY_DYNAMIC_DISPATCH(fill_kernels_for_target)(filled);
    return filled;
  }();
  return kTable;
}

}  // namespace

ForwardKernel forward_kernel(Op op, Operands operands) {
  const ForwardKernel kernel =
      kernels().forward[static_cast<std::size_t>(op)]
                       [static_cast<std::size_t>(operands)];
  REQUIRE(kernel != nullptr, "forward_kernel: leaves have no kernel, got '{}'.",
          operation(op).name);
  return kernel;
}

BackwardKernel backward_kernel(Op op, Operands operands) {
  return kernels().backward[static_cast<std::size_t>(op)]
                           [static_cast<std::size_t>(operands)];
}

void apply_block(Op op, const double* a, const double* b, const double* c,
                 double* out, std::size_t rows) {
  forward_kernel(op, Operands::Blocks)(a, b, c, out, rows);
}

void backpropagate_block(Op op, const double* a, const double* b,
                         const double* c, const double* out,
                         const double* adjoint, double* da, double* db,
                         double* dc, std::size_t rows) {
  backward_kernel(op, Operands::Blocks)(
      {a, b, c, out, adjoint, {da}, {db}, {dc}}, rows);
}

}  // namespace lamarck::formula
#endif
