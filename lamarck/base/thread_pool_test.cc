#include "lamarck/base/thread_pool.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

std::vector<double> walk_lengths(std::size_t threads) {
  ThreadPool pool(threads);
  const Rng rng(1);
  return pool.parallel_map(200, [&](std::size_t i) {
    Rng own = rng.split(i);
    double position = 0;
    for (std::size_t step = 0; step < 10 * (i % 17); ++step) {
      position += own.normal();
    }
    return position;
  });
}

TEST(ThreadPool, RunsEveryIndexOnce) {
  for (const std::size_t threads : {1u, 2u, 8u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> calls(count);
      pool.parallel_for(count, [&](std::size_t i) { ++calls[i]; });
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(calls[i], 1) << i;
    }
  }
}

TEST(ThreadPool, ResultDoesNotDependOnThreadCount) {
  const auto alone = walk_lengths(1);
  EXPECT_EQ(walk_lengths(2), alone);
  EXPECT_EQ(walk_lengths(8), alone);
}

TEST(ThreadPool, RethrowsFailureOfLowestIndex) {
  ThreadPool pool(8);
  for (int round = 0; round < 200; ++round) {
    try {
      pool.parallel_for(100, [&](std::size_t i) {
        if (i == 13) std::this_thread::yield();
        if (i % 10 == 3 && i > 10) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& caught) {
      EXPECT_STREQ(caught.what(), "13");
    }
  }
}

TEST(ThreadPool, MapsToTypesWithoutDefaultConstructor) {
  ThreadPool pool(2);
  const auto results = pool.parallel_map(4, [](std::size_t i) -> Result<int> {
    if (i == 2) return Error(ErrorCode::NotFound, "2");
    return static_cast<int>(i);
  });
  EXPECT_EQ(results[3].value(), 3);
  EXPECT_FALSE(results[2]);
  EXPECT_TRUE(pool.parallel_map(1, [](std::size_t) { return true; })[0]);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A sanitizer's shadow memory does not fit such a limit.
TEST(ThreadPool, ThrowsWhenThreadsCannotBeCreated) {
  const pid_t child = fork();
  if (child == 0) {
    // Leaves address space for a few threads only.
    const rlimit limit{256 << 20, 256 << 20};
    setrlimit(RLIMIT_AS, &limit);
    try {
      ThreadPool pool(4000);
      _exit(1);
    } catch (const std::system_error&) {
      _exit(0);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

#endif

TEST(ThreadPool, IsUsableAfterFailure) {
  ThreadPool pool(4);
  EXPECT_ANY_THROW(
      pool.parallel_for(9, [](std::size_t) { throw std::runtime_error("x"); }));
  std::atomic<int> calls = 0;
  pool.parallel_for(9, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 9);
}

TEST(ThreadPool, LoopsNest) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    ThreadPool pool(threads);
    std::atomic<int> calls = 0;
    pool.parallel_for(8, [&](std::size_t) {
      pool.parallel_for(8, [&](std::size_t) {
        pool.parallel_for(8, [&](std::size_t) { ++calls; });
      });
    });
    EXPECT_EQ(calls, 512);
  }
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int> calls = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          pool.parallel_for(20, [&](std::size_t) { ++calls; });
        }
      });
    }
  }
  EXPECT_EQ(calls, 4 * 50 * 20);
}

TEST(ThreadPool, StartsNoCallsAfterCancellation) {
  for (const std::size_t threads : {1u, 4u}) {
    ThreadPool pool(threads);
    CancelSource source;
    std::atomic<int> calls = 0;
    std::atomic<bool> is_cancelled = false;
    std::atomic<std::size_t> late_calls = 0;
    const bool is_done = pool.parallel_for(
        1'000'000,
        [&](std::size_t) {
          late_calls += is_cancelled;
          if (++calls != 10) return;
          source.cancel("enough");
          is_cancelled = true;
        },
        source.token());
    EXPECT_FALSE(is_done);
    // Each other thread may have been about to start one call.
    EXPECT_LT(late_calls, threads);
  }
}

TEST(ThreadPool, ReturnsTrueWithoutCancellation) {
  ThreadPool pool(2);
  const CancelSource source;
  EXPECT_TRUE(pool.parallel_for(
      5, [](std::size_t) {}, source.token()));
}

}  // namespace
}  // namespace lamarck
