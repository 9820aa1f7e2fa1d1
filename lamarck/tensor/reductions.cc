#include "lamarck/tensor/reductions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

std::size_t as_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// Reduces `count` adjacent elements to one value.
float reduce_row(Reduction reduction, const float* x, std::size_t count) {
  switch (reduction) {
    case Reduction::Sum:
      return sum_of(x, count);
    case Reduction::Mean:
      return sum_of(x, count) / static_cast<float>(count);
    case Reduction::Max:
      return max_of(x, count);
    case Reduction::Min:
      return min_of(x, count);
  }
  return 0;
}

// Up to this many rows are added in float. The rounding error grows with the
// number of rows, so longer sums use double.
constexpr std::int64_t kMaxPlainRows = 1024;

// y += the sum of `rows` rows of `columns` elements, in double precision. Works
// in tiles of columns, so that the sums stay in the L1 cache.
void add_many_rows(const float* x, std::int64_t rows, std::int64_t columns,
                   float* y) {
  constexpr std::int64_t kTile = 64;
  for (std::int64_t first = 0; first < columns; first += kTile) {
    const std::int64_t width = std::min(kTile, columns - first);
    std::array<double, kTile> sums{};
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* from = x + row * columns + first;
      for (std::int64_t j = 0; j < width; ++j) sums[as_size(j)] += from[j];
    }
    for (std::int64_t j = 0; j < width; ++j) {
      y[first + j] = static_cast<float>(y[first + j] + sums[as_size(j)]);
    }
  }
}

// Reduces view.size rows of view.inner elements to one row.
void reduce_rows(Reduction reduction, const AxisView& view, const float* x,
                 float* y) {
  const std::size_t inner = as_size(view.inner);
  std::copy_n(x, inner, y);
  const bool is_sum =
      reduction == Reduction::Sum || reduction == Reduction::Mean;
  const bool is_long = is_sum && view.size > kMaxPlainRows;
  if (is_long) add_many_rows(x + view.inner, view.size - 1, view.inner, y);
  for (std::int64_t i = 1; !is_long && i < view.size; ++i) {
    const float* row = x + i * view.inner;
    switch (reduction) {
      case Reduction::Sum:
      case Reduction::Mean:
        add_to(row, y, inner);
        break;
      case Reduction::Max:
        max_to(row, y, inner);
        break;
      case Reduction::Min:
        min_to(row, y, inner);
        break;
    }
  }
  if (reduction == Reduction::Mean) {
    scale(1 / static_cast<float>(view.size), y, y, inner);
  }
}

bool is_extreme(Reduction reduction) {
  return reduction == Reduction::Max || reduction == Reduction::Min;
}

}  // namespace

AxisView::AxisView(const Shape& shape, std::size_t axis) : size(shape[axis]) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i < axis) outer *= shape[i];
    if (i > axis) inner *= shape[i];
  }
}

AxisView::AxisView(const Shape& shape) : size(shape.element_count()) {}

void reduce(Reduction reduction, const AxisView& view, const float* x,
            float* y) {
  if (view.size == 0) {
    REQUIRE(!is_extreme(reduction),
            "reduce: the axis must not be empty for {}, got size 0.",
            reduction == Reduction::Max ? "max" : "min");
    std::fill_n(y, view.outer * view.inner, 0.0f);
    return;
  }
  for (std::int64_t i = 0; i < view.outer; ++i) {
    const float* from = x + i * view.size * view.inner;
    if (view.inner == 1) {
      y[i] = reduce_row(reduction, from, as_size(view.size));
    } else {
      reduce_rows(reduction, view, from, y + i * view.inner);
    }
  }
}

namespace {

// Gives every element the gradient of its sum, times `factor`.
void spread_gradient(const AxisView& view, float factor, const float* dy,
                     float* dx, bool accumulate) {
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t i = 0; view.inner > 1 && i < view.size; ++i) {
      float* row = dx + (o * view.size + i) * view.inner;
      const float* from = dy + o * view.inner;
      if (accumulate) {
        add_scaled_to(factor, from, row, as_size(view.inner));
      } else {
        scale(factor, from, row, as_size(view.inner));
      }
    }
    if (view.inner > 1) continue;
    const float given = dy[o] * factor;
    float* row = dx + o * view.size;
    for (std::int64_t i = 0; i < view.size; ++i) {
      row[i] = accumulate ? row[i] + given : given;
    }
  }
}

}  // namespace

void reduce_gradient(Reduction reduction, const AxisView& view, const float* x,
                     const float* y, const float* dy, float* dx,
                     bool accumulate) {
  if (!is_extreme(reduction)) {
    const float factor = reduction == Reduction::Mean && view.size > 0
                             ? 1 / static_cast<float>(view.size)
                             : 1;
    return spread_gradient(view, factor, dy, dx, accumulate);
  }
  if (!accumulate) std::fill_n(dx, view.outer * view.size * view.inner, 0.0f);
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t j = 0; j < view.inner; ++j) {
      const std::int64_t at = o * view.inner + j;
      for (std::int64_t i = 0; i < view.size; ++i) {
        const std::int64_t from = (o * view.size + i) * view.inner + j;
        const bool is_extreme_here =
            x[from] == y[at] || (std::isnan(x[from]) && std::isnan(y[at]));
        if (!is_extreme_here) continue;
        dx[from] += dy[at];
        break;  // Only the first of equal elements.
      }
    }
  }
}

void argmax(const AxisView& view, const float* x, float* y) {
  REQUIRE(view.size > 0, "argmax: the axis must not be empty, got size {}.",
          view.size);
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t j = 0; j < view.inner; ++j) {
      std::int64_t best = 0;
      const float* column = x + o * view.size * view.inner + j;
      // NaN counts as the largest, as in numpy and PyTorch.
      for (std::int64_t i = 1;
           i < view.size && !std::isnan(column[best * view.inner]); ++i) {
        const float x_i = column[i * view.inner];
        if (x_i > column[best * view.inner] || std::isnan(x_i)) best = i;
      }
      y[o * view.inner + j] = static_cast<float>(best);
    }
  }
}

void sum_to_shape(const float* x, const Shape& from, const Shape& to, float* y,
                  bool accumulate) {
  if (!accumulate) std::fill_n(y, to.element_count(), 0.0f);
  if (from.element_count() == 0) return;
  // Walk the broadcast as for `to` + `from`, but add to the smaller side.
  const BroadcastPlan plan(to, from, from);
  if (plan.rank == 1 && plan.a_step == 1 && plan.a_strides[0] == 0 &&
      plan.row_count > kMaxPlainRows) {
    return add_many_rows(x, plan.row_count, plan.row_size, y);
  }
  std::array<std::int64_t, Shape::kMaxRank> index{};
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < plan.row_count; ++row) {
    const float* values = x + row * plan.row_size;
    if (plan.a_step == 1) {
      add_to(values, y + at, as_size(plan.row_size));
    } else {
      y[at] += sum_of(values, as_size(plan.row_size));
    }
    for (std::size_t axis = plan.rank; axis-- > 0;) {
      at += plan.a_strides[axis];
      if (++index[axis] < plan.sizes[axis]) break;
      at -= plan.a_strides[axis] * plan.sizes[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace lamarck
