#include "lamarck/store/internal/group_commit.h"
#include "lamarck/base/macros.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

namespace lamarck::store::internal {
namespace {

Error disk_full() { return {ErrorCode::IoFailed, "The disk is full."}; }

TEST(GroupCommit, ConcurrentWritesShareTransaction) {
  constexpr int kWriters = 8;
  std::atomic<int> transactions = 0;
  std::latch first_is_in(1);
  std::latch all_wait(kWriters);
  GroupCommit commits(
      [&](const GroupCommit::Job& body) {
        if (++transactions == 1) {
          first_is_in.count_down();
          all_wait.wait();
        }
        return body();
      },
      1024);
  int done = 0;  // Jobs run one at a time.
  const auto write = [&] {
    ++done;
    return Result<void>();
  };
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { EXPECT_TRUE(commits.run(write)); });
  first_is_in.wait();
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&] {
      all_wait.count_down();
      EXPECT_TRUE(commits.run(write));
    });
  }
  threads.clear();

  EXPECT_EQ(done, kWriters + 1);
  EXPECT_LE(transactions, kWriters + 1);
}

TEST(GroupCommit, WriterJoinsGroupBeingWritten) {
  std::atomic<int> transactions = 0;
  GroupCommit commits(
      [&](const GroupCommit::Job& body) {
        ++transactions;
        return body();
      },
      1024);
  std::jthread other;
  EXPECT_TRUE(commits.run([&] {
    other = std::jthread(
        [&] { EXPECT_TRUE(commits.run([] { return Result<void>(); })); });
    while (commits.waiting_count() < 2) std::this_thread::yield();
    return Result<void>();
  }));
  other.join();

  EXPECT_EQ(transactions, 1);
}

TEST(GroupCommit, GroupRespectsMaximumSize) {
  constexpr int kWriters = 7;
  std::atomic<int> transactions = 0;
  GroupCommit commits(
      [&](const GroupCommit::Job& body) {
        ++transactions;
        return body();
      },
      3);
  std::vector<std::jthread> others;
  EXPECT_TRUE(commits.run([&] {
    for (int i = 1; i < kWriters; ++i) {
      others.emplace_back(
          [&] { EXPECT_TRUE(commits.run([] { return Result<void>(); })); });
    }
    while (commits.waiting_count() < kWriters) std::this_thread::yield();
    return Result<void>();
  }));
  others.clear();

  EXPECT_EQ(transactions, 3);
}

TEST(GroupCommit, RefusalAffectsOneWriterOnly) {
  GroupCommit commits([](const GroupCommit::Job& body) { return body(); }, 8);

  const Result<void> refused = commits.run([]() -> Result<void> {
    return Error(ErrorCode::Conflict, "Another writer was faster.");
  });
  EXPECT_EQ(refused.error().code(), ErrorCode::Conflict);
  EXPECT_TRUE(commits.run([] { return Result<void>(); }));
}

TEST(GroupCommit, ReportsFailedCommit) {
  GroupCommit commits(
      [](const GroupCommit::Job& body) -> Result<void> {
        RETURN_IF_ERROR(body());
        return disk_full();
      },
      8);

  const Result<void> failed = commits.run([] { return Result<void>(); });
  EXPECT_EQ(failed.error(), disk_full());
}

TEST(GroupCommit, RetriesMembersOfFailedGroupAlone) {
  constexpr int kWriters = 6;
  std::atomic<bool> is_first = true;
  std::latch first_is_in(1);
  std::latch all_wait(kWriters);
  GroupCommit commits(
      [&](const GroupCommit::Job& body) {
        if (is_first.exchange(false)) {
          first_is_in.count_down();
          all_wait.wait();
        }
        return body();
      },
      1024);
  std::atomic<int> failed = 0;
  std::vector<std::jthread> threads;
  threads.emplace_back(
      [&] { EXPECT_TRUE(commits.run([] { return Result<void>(); })); });
  first_is_in.wait();
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&, i] {
      all_wait.count_down();
      const Result<void> outcome = commits.run([&]() -> Result<void> {
        if (i == 3) return disk_full();
        return {};
      });
      if (!outcome) ++failed;
    });
  }
  threads.clear();

  EXPECT_EQ(failed, 1);
}

TEST(GroupCommit, ConvertsExceptionToError) {
  GroupCommit commits([](const GroupCommit::Job& body) { return body(); }, 8);

  const Result<void> failed = commits.run(
      []() -> Result<void> { throw std::runtime_error("no memory"); });
  EXPECT_EQ(failed.error().code(), ErrorCode::Internal);
  EXPECT_TRUE(commits.run([] { return Result<void>(); }));
}

}  // namespace
}  // namespace lamarck::store::internal
