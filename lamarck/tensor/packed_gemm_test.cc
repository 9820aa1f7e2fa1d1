#include "lamarck/tensor/blas_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/gemm.h"

namespace lamarck {
namespace {

// Without the guard a few of these products were wrong in every run.
TEST(BlasMemory, ThreadsThatComputeSideBySideDoNotDisturbEachOther) {
  const Gemm g{16, 256, 512};
  Rng rng(1);
  std::vector<float> a(static_cast<std::size_t>(g.m * g.k));
  std::vector<float> b(static_cast<std::size_t>(g.k * g.n));
  for (auto* matrix : {&a, &b}) {
    for (float& x : *matrix) x = static_cast<float>(rng.normal());
  }
  std::vector<float> expected(static_cast<std::size_t>(g.m * g.n));
  gemm(g, a.data(), b.data(), expected.data());

  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      std::vector<float> c(expected.size());
      for (int i = 0; i < 2500; ++i) {
        gemm(g, a.data(), b.data(), c.data());
        if (c != expected) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace lamarck
