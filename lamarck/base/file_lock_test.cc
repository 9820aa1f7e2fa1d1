#include "lamarck/base/file_lock.h"

#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>

namespace lamarck {
namespace {

class FileLockTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                ("file_lock_" + std::to_string(::getpid()));
};

TEST_F(FileLockTest, OnlyOneHolderAtATime) {
  std::optional<Result<FileLock>> first = FileLock::acquire(path_);
  ASSERT_TRUE(*first);

  const auto second = FileLock::acquire(path_);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::Conflict);
  EXPECT_EQ(second.error().fields().at("process"), std::to_string(::getpid()));
  EXPECT_TRUE(FileLock::is_held(path_));
  first.reset();
  EXPECT_FALSE(FileLock::is_held(path_));
  EXPECT_FALSE(FileLock::is_held(path_.string() + ".none"));
  EXPECT_TRUE(FileLock::acquire(path_));
}

TEST_F(FileLockTest, LockOfKilledProcessIsFree) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::acquire(path_);
    const char answer = lock ? 'y' : 'n';
    (void)!::write(ready[1], &answer, 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_FALSE(FileLock::acquire(path_));

  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);

  EXPECT_TRUE(FileLock::acquire(path_));
}

TEST_F(FileLockTest, RefusesSymbolicLink) {
  std::filesystem::create_symlink(path_.string() + "_elsewhere", path_);

  EXPECT_FALSE(FileLock::acquire(path_));
  EXPECT_FALSE(std::filesystem::exists(path_.string() + "_elsewhere"));
}

}  // namespace
}  // namespace lamarck
