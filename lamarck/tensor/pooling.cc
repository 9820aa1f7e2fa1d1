#include "lamarck/tensor/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#ifndef LAMARCK_POOLING_LANES
#define LAMARCK_POOLING_LANES
namespace lamarck {
// The lanes of the shortest vectors used.
constexpr int kNarrowLanes = 4;
}  // namespace lamarck
#endif

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/pooling.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using Half = hn::CappedTag<float, 8>;
using Narrow = hn::CappedTag<float, kNarrowLanes>;

// Values with their indices in the window.
template <class V>
struct Candidates {
  V value;
  V where;
};

// Picks the larger value of each lane: the first if both are equal, and the
// second if it is NaN. A NaN in the first stays, because no comparison with it
// is true.
template <class V>
Candidates<V> larger_of(const Candidates<V>& first,
                        const Candidates<V>& second) {
  const auto is_second =
      hn::Or(hn::Gt(second.value, first.value), hn::IsNaN(second.value));
  return {hn::IfThenElse(is_second, second.value, first.value),
          hn::IfThenElse(is_second, second.where, first.where)};
}

// The larger of each pair of neighbors in a row. The left one has index
// `number` in its window.
template <class D>
Candidates<hn::Vec<D>> larger_neighbours(D tag, const float* row,
                                         float number) {
  hn::Vec<D> left;
  hn::Vec<D> right;
  hn::LoadInterleaved2(tag, row, left, right);
  return larger_of<hn::Vec<D>>({left, hn::Set(tag, number)},
                               {right, hn::Set(tag, number + 1)});
}

// Pools row `row` of the output from column j on.
template <class D>
void pool_vector(D tag, const Pooling& p, std::int64_t row, std::int64_t j,
                 const float* x, float* y, float* where) {
  const float* top = x + row * 2 * p.x.size + 2 * j;
  const auto best = larger_of(larger_neighbours(tag, top, 0),
                              larger_neighbours(tag, top + p.x.size, 2));
  const std::int64_t to = row * (p.x.size / 2) + j;
  hn::StoreU(best.value, tag, y + to);
  hn::StoreU(best.where, tag, where + to);
}

template <class D>
void pool_vector_gradient(D tag, const Pooling& p, std::int64_t row,
                          std::int64_t j, const float* where, const float* dy,
                          float* dx) {
  const std::int64_t from = row * (p.x.size / 2) + j;
  const auto at = hn::LoadU(tag, where + from);
  const auto given = hn::LoadU(tag, dy + from);
  const auto part = [&](float number) {
    return hn::IfThenElseZero(hn::Eq(at, hn::Set(tag, number)), given);
  };
  float* top = dx + row * 2 * p.x.size + 2 * j;
  hn::StoreInterleaved2(part(0), part(1), tag, top);
  hn::StoreInterleaved2(part(2), part(3), tag, top + p.x.size);
}

// Calls each(tag, row, column) for vectors that cover one row of the output.
// The last vector of a row overlaps the one before it.
// REQUIRES: rows are at least one vector long.
template <class D, class F>
void cover_row(D tag, std::int64_t width, std::int64_t row, F&& each) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  std::int64_t j = 0;
  for (; j + lanes <= width; j += lanes) each(tag, row, j);
  if (j < width) each(tag, row, width - lanes);
}

// Calls each(tag, row, column) for vectors that cover all rows in order. A row
// that is shorter than a vector is covered by one that extends into the next
// row, which is written later. The last row has no next one, so it is covered
// exactly.
template <class F>
void cover_rows(const Pooling& p, F&& each) {
  const std::int64_t width = p.x.size / 2;
  const std::int64_t rows = p.planes * (p.y.size / 2);
  const auto reach_over = [&](auto tag) {
    for (std::int64_t row = 0; row + 1 < rows; ++row) each(tag, row, 0);
    if (rows > 0) cover_row(Narrow(), width, rows - 1, each);
  };
  if (width >= static_cast<std::int64_t>(hn::Lanes(Wide()))) {
    for (std::int64_t row = 0; row < rows; ++row) {
      cover_row(Wide(), width, row, each);
    }
  } else if (width > static_cast<std::int64_t>(hn::Lanes(Half()))) {
    reach_over(Wide());
  } else if (width > static_cast<std::int64_t>(hn::Lanes(Narrow()))) {
    reach_over(Half());
  } else {
    for (std::int64_t row = 0; row < rows; ++row) {
      cover_row(Narrow(), width, row, each);
    }
  }
}

}  // namespace

void max_pool_pairs_here(const Pooling& p, const float* x, float* y,
                         float* where) {
  cover_rows(p, [&](auto tag, std::int64_t row, std::int64_t j) {
    pool_vector(tag, p, row, j, x, y, where);
  });
}

void max_pool_pairs_gradient_here(const Pooling& p, const float* where,
                                  const float* dy, float* dx) {
  cover_rows(p, [&](auto tag, std::int64_t row, std::int64_t j) {
    pool_vector_gradient(tag, p, row, j, where, dy, dx);
  });
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(max_pool_pairs_here);
HWY_EXPORT(max_pool_pairs_gradient_here);

namespace {

// Whether the vector kernels apply: adjacent 2 x 2 windows, which most networks
// use, in images of even size that are wide enough for a vector.
bool is_in_pairs(const Pooling& p) {
  const auto halves = [](const WindowAxis& axis) {
    return axis.kernel == 2 && axis.stride == 2 && axis.padding == 0 &&
           axis.size % 2 == 0;
  };
  return halves(p.y) && halves(p.x) &&
         p.x.size / 2 >= std::int64_t{kNarrowLanes};
}

// The part of a window that lies within the image.
struct Range {
  Range(const WindowAxis& axis, std::int64_t position)
      : start(position * axis.stride - axis.padding),
        begin(std::max<std::int64_t>(start, 0)),
        end(std::min(start + axis.kernel, axis.size)) {}

  std::int64_t start;
  std::int64_t begin;
  std::int64_t end;
};

// Calls each(range y, range x, offset of the plane, index of the window).
template <class F>
void for_each_window(const Pooling& p, F&& each) {
  std::int64_t window = 0;
  for (std::int64_t plane = 0; plane < p.planes; ++plane) {
    for (std::int64_t i = 0; i < p.y.positions(); ++i) {
      const Range y(p.y, i);
      for (std::int64_t j = 0; j < p.x.positions(); ++j) {
        each(y, Range(p.x, j), plane * p.y.size * p.x.size, window++);
      }
    }
  }
}

void clear_unless(bool accumulate, const Pooling& p, float* dx) {
  if (!accumulate) std::fill_n(dx, p.planes * p.y.size * p.x.size, 0.0f);
}

}  // namespace

void max_pool(const Pooling& p, const float* x, float* y, float* where) {
  if (is_in_pairs(p)) {
    return HWY_DYNAMIC_DISPATCH(max_pool_pairs_here)(p, x, y, where);
  }
  for_each_window(p, [&](const Range& rows, const Range& columns,
                         std::int64_t plane, std::int64_t window) {
    float best = -std::numeric_limits<float>::infinity();
    std::int64_t place = (rows.begin - rows.start) * p.x.kernel +
                         (columns.begin - columns.start);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        const float value = x[plane + i * p.x.size + j];
        if (!(value > best) && !std::isnan(value)) continue;
        best = value;
        place = (i - rows.start) * p.x.kernel + (j - columns.start);
      }
    }
    y[window] = best;
    where[window] = static_cast<float>(place);
  });
}

void max_pool_gradient(const Pooling& p, const float* where, const float* dy,
                       float* dx, bool accumulate) {
  if (is_in_pairs(p) && !accumulate) {
    return HWY_DYNAMIC_DISPATCH(max_pool_pairs_gradient_here)(p, where, dy, dx);
  }
  clear_unless(accumulate, p, dx);
  for_each_window(p, [&](const Range& rows, const Range& columns,
                         std::int64_t plane, std::int64_t window) {
    const auto place = static_cast<std::int64_t>(where[window]);
    const std::int64_t i = rows.start + place / p.x.kernel;
    const std::int64_t j = columns.start + place % p.x.kernel;
    dx[plane + i * p.x.size + j] += dy[window];
  });
}

void average_pool(const Pooling& p, const float* x, float* y) {
  const float share = 1.0f / static_cast<float>(p.y.kernel * p.x.kernel);
  for_each_window(p, [&](const Range& rows, const Range& columns,
                         std::int64_t plane, std::int64_t window) {
    float sum = 0;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        sum += x[plane + i * p.x.size + j];
      }
    }
    y[window] = sum * share;
  });
}

void average_pool_gradient(const Pooling& p, const float* dy, float* dx,
                           bool accumulate) {
  const float share = 1.0f / static_cast<float>(p.y.kernel * p.x.kernel);
  clear_unless(accumulate, p, dx);
  for_each_window(p, [&](const Range& rows, const Range& columns,
                         std::int64_t plane, std::int64_t window) {
    const float given = dy[window] * share;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) {
        dx[plane + i * p.x.size + j] += given;
      }
    }
  });
}

}  // namespace lamarck
#endif
