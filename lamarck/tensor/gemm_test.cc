#include "lamarck/tensor/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/gemm_kernels.h"
#include "lamarck/tensor/matrix_fixture.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck {
namespace {

std::vector<float> plain(const Gemm& g, const std::vector<float>& a,
                         const std::vector<float>& b, std::vector<float> c) {
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < g.k; ++k) {
        const auto at_a = g.transpose_a ? k * g.m + i : i * g.k + k;
        const auto at_b = g.transpose_b ? j * g.k + k : k * g.n + j;
        sum += static_cast<double>(a[static_cast<std::size_t>(at_a)]) *
               b[static_cast<std::size_t>(at_b)];
      }
      float& to = c[static_cast<std::size_t>(i * g.n + j)];
      to = static_cast<float>(g.accumulate ? to + sum : sum);
    }
  }
  return c;
}

// Compares all transpositions of one size, with and without accumulation.
void compare(std::int64_t m, std::int64_t n, std::int64_t k, Rng& rng) {
  for (int flags = 0; flags < 8; ++flags) {
    const Gemm g{m, n, k, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
    std::vector<float> a(static_cast<std::size_t>(m * k));
    std::vector<float> b(static_cast<std::size_t>(k * n));
    std::vector<float> c(static_cast<std::size_t>(m * n));
    for (auto* matrix : {&a, &b, &c}) {
      for (float& x : *matrix) x = static_cast<float>(rng.normal());
    }
    const auto expected = plain(g, a, b, c);
    gemm(g, a.data(), b.data(), c.data());
    // Longer sums are larger, and so are their rounding errors.
    const auto length = static_cast<double>(k);
    const double tolerance =
        std::max(2e-5 * (1 + std::sqrt(length) / 8), 3e-7 * length);
    for (std::size_t i = 0; i < c.size(); ++i) {
      ASSERT_NEAR(c[i], expected[i], tolerance)
          << m << "x" << k << "x" << n << " flags " << flags;
    }
  }
}

// Runs `check` with each instruction set of this machine.
void with_every_target(const std::function<void()>& check) {
  for (const std::string& target : supported_simd_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(choose_simd_target(target).has_value());
    check();
  }
  ASSERT_TRUE(choose_simd_target("auto").has_value());
}

TEST(Gemm, MatchesReferenceForAllSizesAndTranspositions) {
  with_every_target([] {
    Rng rng(1);
    for (const std::int64_t m : {0, 1, 2, 5, 6, 17, 40}) {
      for (const std::int64_t n : {1, 3, 5, 8, 13, 16, 19, 33}) {
        for (const std::int64_t k : {0, 1, 4, 9, 31}) compare(m, n, k, rng);
      }
    }
  });
}

// Sizes on both sides of the limit where packed_gemm_rows takes over.
TEST(Gemm, MatchesReferenceAroundKernelSwitch) {
  with_every_target([] {
    Rng rng(2);
    for (const std::int64_t n : {63, 64, 65, 255, 256, 257}) {
      for (const std::int64_t k : {16, 64, 128, 129}) compare(7, n, k, rng);
    }
  });
}

// More than one block of each kind, and strides for which A is packed.
TEST(Gemm, MatchesReferenceAcrossBlocks) {
  with_every_target([] {
    Rng rng(3);
    compare(101, 530, 40, rng);
    compare(99, 33, 1100, rng);
    compare(31, 40, 1024, rng);
    compare(512, 70, 70, rng);
    compare(20, 600, 300, rng);
  });
}

TEST(Gemm, SplittingDirectProductGivesIdenticalBits) {
  with_every_target([] {
    Rng rng(4);
    for (int flags = 0; flags < 4; ++flags) {
      const Gemm g{45, 30, 40, (flags & 1) != 0, (flags & 2) != 0};
      ASSERT_TRUE(is_direct(g));
      const auto a = normal_matrix(g.m, g.k, rng);
      const auto b = normal_matrix(g.k, g.n, rng);
      std::vector<float> whole(static_cast<std::size_t>(g.m * g.n));
      direct_gemm_rows(g, a.data(), b.data(), whole.data(), 0, g.m);

      for (const std::int64_t cut : {1, 7, 44}) {
        std::vector<float> parts(whole.size(), -1.0f);
        direct_gemm_rows(g, a.data(), b.data(), parts.data(), 0, cut);
        direct_gemm_rows(g, a.data(), b.data(), parts.data(), cut, g.m);
        EXPECT_EQ(parts, whole) << "cut at " << cut << ", flags " << flags;
      }
    }
  });
}

}  // namespace
}  // namespace lamarck
