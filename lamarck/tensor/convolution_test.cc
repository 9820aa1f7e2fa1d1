#include "lamarck/tensor/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck {
namespace {

using Floats = std::vector<float>;

Floats random_floats(std::int64_t count, Rng& rng) {
  Floats values(static_cast<std::size_t>(count));
  for (float& x : values) x = static_cast<float>(rng.normal());
  return values;
}

// Calls each(offset in x, in the kernels, in y) for every multiplication in the
// definition of a convolution.
template <class F>
void for_each_product(const Convolution& c, F&& each) {
  const std::int64_t channels = c.channels / c.groups;
  const std::int64_t outputs = c.outputs / c.groups;
  std::size_t y = 0;
  for (std::int64_t n = 0; n < c.batch; ++n) {
    for (std::int64_t o = 0; o < c.outputs; ++o) {
      for (std::int64_t i = 0; i < c.y.positions(); ++i) {
        for (std::int64_t j = 0; j < c.x.positions(); ++j, ++y) {
          for (std::int64_t k = 0; k < channels; ++k) {
            for (std::int64_t ky = 0; ky < c.y.kernel; ++ky) {
              for (std::int64_t kx = 0; kx < c.x.kernel; ++kx) {
                const std::int64_t at_y =
                    i * c.y.stride + ky * c.y.dilation - c.y.padding;
                const std::int64_t at_x =
                    j * c.x.stride + kx * c.x.dilation - c.x.padding;
                if (at_y < 0 || at_y >= c.y.size) continue;
                if (at_x < 0 || at_x >= c.x.size) continue;
                const std::int64_t channel = o / outputs * channels + k;
                const std::int64_t x =
                    ((n * c.channels + channel) * c.y.size + at_y) * c.x.size +
                    at_x;
                const std::int64_t w =
                    ((o * channels + k) * c.y.kernel + ky) * c.x.kernel + kx;
                each(static_cast<std::size_t>(x), static_cast<std::size_t>(w),
                     y);
              }
            }
          }
        }
      }
    }
  }
}

void expect_near(const Floats& ours, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], expected[i], 1e-4) << what << " at " << i;
  }
}

std::string text_of(const Convolution& c) {
  std::string text = "batch " + std::to_string(c.batch) + ", channels " +
                     std::to_string(c.channels) + " to " +
                     std::to_string(c.outputs) + " in " +
                     std::to_string(c.groups);
  for (const WindowAxis& axis : {c.y, c.x}) {
    text += "; size " + std::to_string(axis.size) + " kernel " +
            std::to_string(axis.kernel) + " stride " +
            std::to_string(axis.stride) + " padding " +
            std::to_string(axis.padding) + " dilation " +
            std::to_string(axis.dilation);
  }
  return text;
}

// Scratch memory may contain anything, so fill it with NaN.
Floats make_scratch(const Convolution& c) {
  return Floats(static_cast<std::size_t>(convolution_scratch(c)),
                std::numeric_limits<float>::quiet_NaN());
}

// `density` is the fraction of the output gradient that is not zero.
void compare(const Convolution& c, Rng& rng, double density = 1) {
  const std::string what = text_of(c);
  const std::int64_t plane = c.y.positions() * c.x.positions();
  const Floats x =
      random_floats(c.batch * c.channels * c.y.size * c.x.size, rng);
  const Floats w = random_floats(
      c.outputs * c.channels / c.groups * c.y.kernel * c.x.kernel, rng);
  const Floats bias = random_floats(c.outputs, rng);
  Floats dy = random_floats(c.batch * c.outputs * plane, rng);
  for (float& each : dy) {
    if (!rng.chance(density)) each = 0;
  }

  std::vector<double> expected_y(dy.size());
  std::vector<double> expected_dx(x.size());
  std::vector<double> expected_dw(w.size(), 1.0);
  std::vector<double> expected_db(bias.size(), 2.0);
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const auto output = i / static_cast<std::size_t>(plane) % bias.size();
    expected_y[i] = bias[output];
    expected_db[output] += dy[i];
  }
  for_each_product(c,
                   [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
                     expected_y[at_y] += double{x[at_x]} * w[at_w];
                     expected_dx[at_x] += double{dy[at_y]} * w[at_w];
                     expected_dw[at_w] += double{dy[at_y]} * x[at_x];
                   });

  Floats scratch = make_scratch(c);
  Floats y(dy.size());
  convolve(c, x.data(), w.data(), bias.data(), y.data(), scratch.data());
  expect_near(y, expected_y, what);

  scratch = make_scratch(c);
  Floats dx(x.size(), 7.0f);
  convolution_input_gradient(c, dy.data(), w.data(), dx.data(), false,
                             scratch.data());
  expect_near(dx, expected_dx, what);
  scratch = make_scratch(c);
  convolution_input_gradient(c, dy.data(), w.data(), dx.data(), true,
                             scratch.data());
  for (double& each : expected_dx) each *= 2;
  expect_near(dx, expected_dx, what);

  scratch = make_scratch(c);
  Floats dw(w.size(), 1.0f);
  Floats db(bias.size(), 2.0f);
  convolution_weight_gradient(c, x.data(), dy.data(), {dw.data(), db.data()},
                              scratch.data());
  expect_near(dw, expected_dw, what);
  expect_near(db, expected_db, what);
}

TEST(Convolution, MatchesReferenceForCommonSizes) {
  Rng rng(1);
  compare({2, 1, 8, 1, {28, 3, 1, 1, 1}, {28, 3, 1, 1, 1}}, rng);
  compare({3, 8, 16, 1, {14, 3, 1, 1, 1}, {14, 3, 1, 1, 1}}, rng);
  compare({20, 3, 5, 1, {6, 3, 1, 1, 1}, {5, 3, 1, 1, 1}}, rng);
  compare({2, 3, 6, 1, {16, 7, 2, 3, 1}, {16, 7, 2, 3, 1}}, rng);
  compare({2, 6, 6, 6, {9, 3, 1, 1, 1}, {9, 3, 1, 1, 1}}, rng);
}

TEST(Convolution, MatchesReferenceForRandomOptions) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const auto axis = [&] {
      WindowAxis made{rng.integer(1, 20), rng.integer(1, 4), rng.integer(1, 3),
                      rng.integer(0, 3), rng.integer(1, 2)};
      made.size = std::max(made.size, made.reach() - 2 * made.padding);
      return made;
    };
    const std::int64_t groups = rng.integer(1, 2);
    compare({rng.integer(1, 3), groups * rng.integer(1, 5),
             groups * rng.integer(1, 6), groups, axis(), axis()},
            rng);
  }
}

TEST(Convolution, MatchesReferenceForThreeRowKernels) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    const WindowAxis y{rng.integer(3, 20), 3, 1, rng.integer(0, 4), 1};
    WindowAxis x{rng.integer(1, 40), rng.integer(1, 4), 1, rng.integer(0, 3),
                 rng.integer(1, 2)};
    x.size = std::max(x.size, x.reach());
    compare({rng.integer(1, 7), rng.integer(4, 9), rng.integer(4, 9), 1, y, x},
            rng);
  }
}

TEST(Convolution, MatchesReferenceForSparseGradients) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    const auto axis = [&](std::int64_t dilation) {
      return WindowAxis{rng.integer(7, 20), rng.integer(1, 4),
                        rng.integer(1, 3), rng.integer(0, 3), dilation};
    };
    compare({rng.integer(1, 9), rng.integer(1, 20), rng.integer(1, 6), 1,
             axis(rng.integer(1, 2)), axis(1)},
            rng, rng.uniform() * 0.3);
  }
}

TEST(Convolution, MatchesReferenceOnEveryInstructionSet) {
  for (const std::string& target : supported_simd_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(choose_simd_target(target).has_value());
    Rng rng(1);
    for (const std::int64_t size : {7, 13, 14, 20}) {
      const WindowAxis axis{size, 3, 1, 1, 1};
      compare({4, 8, 16, 1, axis, axis}, rng, 0.2);
      compare({1, 1, 8, 1, axis, axis}, rng);
    }
  }
  ASSERT_TRUE(choose_simd_target("auto").has_value());
}

TEST(Convolution, SparseGradientsPropagateNan) {
  const Convolution c{1, 16, 4, 1, {8, 3, 1, 1, 1}, {8, 3, 1, 1, 1}};
  const Floats x(16 * 64, 1.0f);
  Floats dy(4 * 64, 0.0f);
  dy[27] = std::numeric_limits<float>::quiet_NaN();
  Floats scratch = make_scratch(c);
  Floats dw(4 * 16 * 9, 0.0f);
  Floats db(4, 0.0f);
  convolution_weight_gradient(c, x.data(), dy.data(), {dw.data(), db.data()},
                              scratch.data());
  EXPECT_TRUE(std::isnan(dw[0]));
  EXPECT_TRUE(std::isnan(db[0]));
  EXPECT_EQ(dw[16 * 9], 0.0f);
  EXPECT_EQ(db[1], 0.0f);
}

}  // namespace
}  // namespace lamarck
