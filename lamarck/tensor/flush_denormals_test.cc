#include "lamarck/tensor/flush_denormals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "lamarck/base/thread_pool.h"
#include "lamarck/tensor/worker_scope.h"

namespace lamarck {
namespace {

// Not constant, so that the compiler cannot compute the product.
float half_of_smallest() {
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float half = 0.5f;
  return smallest * half;
}

TEST(FlushDenormals, AppliesOnlyWhileItExists) {
  EXPECT_GT(half_of_smallest(), 0.0f);
  {
    const FlushDenormals outer;
    if (!FlushDenormals::is_active()) GTEST_SKIP() << "not supported here";
    {
      const FlushDenormals inner;
      EXPECT_EQ(half_of_smallest(), 0.0f);
    }
    EXPECT_EQ(half_of_smallest(), 0.0f);
  }
  EXPECT_GT(half_of_smallest(), 0.0f);
}

TEST(FlushDenormals, DoesNothingIfDisabled) {
  const FlushDenormals scope(false);

  EXPECT_GT(half_of_smallest(), 0.0f);
}

TEST(FlushDenormals, PartsOnOtherThreadsRoundAsTheCaller) {
  ThreadPool pool(3);
  const WorkerScope workers(&pool);
  for (const bool flush : {false, true}) {
    const FlushDenormals scope(flush);
    const bool expected = FlushDenormals::is_active();
    std::atomic<int> differing = 0;
    for_each_part(100, [&](std::size_t) {
      if (FlushDenormals::is_active() != expected) ++differing;
    });
    EXPECT_EQ(differing, 0) << "flush " << flush;
  }
}

}  // namespace
}  // namespace lamarck
