#include "lamarck/tensor/packed_gemm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/matrix_fixture.h"

namespace lamarck {
namespace {

TEST(PackedGemm, SplittingProductGivesIdenticalBits) {
  Rng rng(3);
  for (int flags = 0; flags < 4; ++flags) {
    const Gemm g{101, 77, 1030, (flags & 1) != 0, (flags & 2) != 0};
    const auto a = normal_matrix(g.m, g.k, rng);
    const auto b = normal_matrix(g.k, g.n, rng);
    std::vector<float> whole(static_cast<std::size_t>(g.m * g.n));
    packed_gemm_rows(g, a.data(), b.data(), whole.data(), 0, g.m);

    for (const std::int64_t cut : {1, 13, 50, 100}) {
      std::vector<float> parts(whole.size(), -1.0f);
      packed_gemm_rows(g, a.data(), b.data(), parts.data(), 0, cut);
      packed_gemm_rows(g, a.data(), b.data(), parts.data(), cut, g.m);
      EXPECT_EQ(parts, whole) << "cut at " << cut << ", flags " << flags;
    }
  }
}

TEST(PackedGemm, WritesOnlyRowsInRange) {
  Rng rng(4);
  const Gemm g{20, 130, 300};
  const auto a = normal_matrix(g.m, g.k, rng);
  const auto b = normal_matrix(g.k, g.n, rng);
  std::vector<float> c(static_cast<std::size_t>(g.m * g.n), 7.0f);

  packed_gemm_rows(g, a.data(), b.data(), c.data(), 5, 11);

  for (std::int64_t i = 0; i < g.m; ++i) {
    const bool is_inside = i >= 5 && i < 11;
    for (std::int64_t j = 0; j < g.n; ++j) {
      EXPECT_EQ(c[static_cast<std::size_t>(i * g.n + j)] == 7.0f, !is_inside)
          << i << ", " << j;
    }
  }
}

TEST(PackedGemm, IsThreadSafe) {
  const Gemm g{16, 256, 512};
  Rng rng(1);
  const auto a = normal_matrix(g.m, g.k, rng);
  const auto b = normal_matrix(g.k, g.n, rng);
  std::vector<float> expected(static_cast<std::size_t>(g.m * g.n));
  packed_gemm_rows(g, a.data(), b.data(), expected.data(), 0, g.m);

  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      std::vector<float> c(expected.size());
      for (int i = 0; i < 100; ++i) {
        packed_gemm_rows(g, a.data(), b.data(), c.data(), 0, g.m);
        if (c != expected) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace lamarck
