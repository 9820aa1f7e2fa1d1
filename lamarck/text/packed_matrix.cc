#include "lamarck/text/packed_matrix.h"

#include <algorithm>
#include <cstdint>
#include <utility>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/text/packed_matrix.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::text::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<float, 16> kFloats{};
using Floats = hn::Vec<decltype(kFloats)>;
constexpr std::size_t kLanes = hn::MaxLanes(kFloats);
constexpr std::size_t kColumns = 32;  // PackedMatrix::kPanel.
constexpr std::size_t kVectors = kColumns / kLanes;
// As many rows as leave room for the columns in the registers.
constexpr std::size_t kMaxRows = kLanes == 16 ? 8 : kLanes == 8 ? 3 : 1;

// The products of Rows rows with one panel, to `sums` [Rows, kColumns].
template <std::size_t Rows>
void multiply_block(const float* x, std::size_t inputs, const float* panel,
                    float* sums) {
  Floats total[Rows][kVectors];
  for (auto& row : total) {
    for (Floats& v : row) v = hn::Zero(kFloats);
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    Floats columns[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      columns[v] = hn::Load(kFloats, panel + i * kColumns + v * kLanes);
    }
    for (std::size_t r = 0; r < Rows; ++r) {
      const Floats value = hn::Set(kFloats, x[r * inputs + i]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        total[r][v] = hn::MulAdd(value, columns[v], total[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(total[r][v], kFloats, sums + r * kColumns + v * kLanes);
    }
  }
}

template <std::size_t... Rows>
void multiply_rows(std::index_sequence<Rows...>, std::size_t rows,
                   const float* x, std::size_t inputs, const float* panel,
                   float* sums) {
  ((rows == Rows + 1 ? multiply_block<Rows + 1>(x, inputs, panel, sums)
                     : void()),
   ...);
}

void multiply_here(const float* x, std::size_t rows, std::size_t inputs,
                   std::size_t outputs, const float* panels, const float* bias,
                   float* y) {
  HWY_ALIGN float sums[kMaxRows * kColumns];
  for (std::size_t begin = 0; begin < outputs; begin += kColumns) {
    const float* const panel = panels + begin * inputs;
    const std::size_t width = std::min(kColumns, outputs - begin);
    for (std::size_t row = 0; row < rows; row += kMaxRows) {
      const std::size_t count = std::min(kMaxRows, rows - row);
      multiply_rows(std::make_index_sequence<kMaxRows>(), count,
                    x + row * inputs, inputs, panel, sums);
      for (std::size_t r = 0; r < count; ++r) {
        float* const to = y + (row + r) * outputs + begin;
        for (std::size_t c = 0; c < width; ++c) {
          const float shift = bias != nullptr ? bias[begin + c] : 0.0f;
          to[c] = sums[r * kColumns + c] + shift;
        }
      }
    }
  }
}

Floats gelu_vector(Floats x) {
  const auto set = [](float value) { return hn::Set(kFloats, value); };
  const Floats z = hn::Mul(hn::Abs(x), set(0.70710678f));
  const Floats t = hn::Div(set(1), hn::MulAdd(set(0.3275911f), z, set(1)));
  Floats sum = set(1.061405429f);
  for (const float c :
       {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f}) {
    sum = hn::MulAdd(sum, t, set(c));
  }
  // Half the complementary error function of |z|; the lower bound keeps Exp in
  // its range.
  const Floats power = hn::Max(hn::Neg(hn::Mul(z, z)), set(-80));
  const Floats tail =
      hn::Mul(hn::Mul(hn::Mul(sum, t), set(0.5f)), hn::Exp(kFloats, power));
  const Floats cdf =
      hn::IfThenElse(hn::Lt(x, set(0)), tail, hn::Sub(set(1), tail));
  return hn::Mul(x, cdf);
}

void gelu_here(float* x, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(gelu_vector(hn::LoadU(kFloats, x + i)), kFloats, x + i);
  }
  if (i == count) return;
  HWY_ALIGN float tail[kLanes] = {};
  std::copy(x + i, x + count, tail);
  hn::Store(gelu_vector(hn::Load(kFloats, tail)), kFloats, tail);
  std::copy(tail, tail + (count - i), x + i);
}

}  // namespace lamarck::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::text {

HWY_EXPORT(multiply_here);
HWY_EXPORT(gelu_here);

PackedMatrix::PackedMatrix(const float* weights, std::size_t outputs,
                           std::size_t inputs)
    : inputs_(inputs), outputs_(outputs) {
  const std::size_t panels = (outputs + kPanel - 1) / kPanel;
  const std::size_t size = panels * kPanel * inputs;
  panels_ = allocate_floats(static_cast<std::int64_t>(size));
  std::fill_n(panels_.get(), size, 0.0f);
  for (std::size_t output = 0; output < outputs; ++output) {
    float* const panel =
        panels_.get() + output / kPanel * kPanel * inputs + output % kPanel;
    for (std::size_t input = 0; input < inputs; ++input) {
      panel[input * kPanel] = weights[output * inputs + input];
    }
  }
}

void PackedMatrix::multiply(const float* x, std::size_t rows, const float* bias,
                            float* y) const {
  HWY_DYNAMIC_DISPATCH(multiply_here)
  (x, rows, inputs_, outputs_, panels_.get(), bias, y);
}

void gelu_in_place(float* x, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(gelu_here)(x, count);
}

}  // namespace lamarck::text
#endif
