#include "lamarck/base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace lamarck {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("file_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(FileTest, ReadsBackWrittenBytes) {
  for (const std::string& bytes :
       {std::string(), std::string("text\n"), std::string("\0\xff", 2),
        std::string(100'000, 'x')}) {
    ASSERT_TRUE(write_file(folder_ / "a", bytes));
    EXPECT_EQ(read_file(folder_ / "a").value(), bytes);
  }
  EXPECT_EQ(file_count(), 1u) << "temporary files are left behind";
}

TEST_F(FileTest, ReportsMissingAndUnreadableFiles) {
  const fs::path missing = folder_ / "missing";
  EXPECT_EQ(
      read_file(missing).error(),
      Error(ErrorCode::NotFound,
            "Cannot read " + missing.string() + ": No such file or directory.",
            {{"file", missing.string()}}));
  EXPECT_EQ(read_file(folder_).error().code(), ErrorCode::IoFailed);
  EXPECT_FALSE(write_file(folder_ / "no" / "such" / "folder", "x"));
  EXPECT_FALSE(write_file(folder_, "x"));
}

TEST_F(FileTest, RejectsPipesAndDevicesWithoutBlocking) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_file(pipe).error().message(),
            "Cannot read " + pipe.string() + ": it is not a regular file.");
  EXPECT_FALSE(read_file("/dev/zero"));
}

TEST_F(FileTest, PreservesModeAndSymlink) {
  const fs::path path = folder_ / "secret";
  ASSERT_TRUE(write_file(path, "one"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "two"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, RefusesSymlinkThatLeavesFolder) {
  const fs::path outside = folder_.string() + "_outside";
  ASSERT_TRUE(write_file(outside, "mine"));
  fs::create_symlink(outside, folder_ / "link");
  fs::create_symlink(folder_ / "new", folder_ / "dangling");

  const auto written = write_file(folder_ / "link", "yours");

  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(),
            "Cannot write " + (folder_ / "link").string() +
                ": it is a symbolic link to " + outside.string() +
                ", outside its folder; remove the link, or give that path.");
  EXPECT_EQ(read_file(outside).value(), "mine");
  EXPECT_TRUE(write_file(folder_ / "dangling", "x"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(read_file(folder_ / "new").value(), "x");
  fs::remove(outside);
  EXPECT_FALSE(write_file(folder_ / "link", "yours"));
  EXPECT_FALSE(fs::exists(outside));
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_FALSE(write_file(folder_ / "loop", "x"));
}

TEST_F(FileTest, RefuseKeepsExistingFile) {
  const fs::path path = folder_ / "a";
  ASSERT_TRUE(write_file(path, "one", ExistingFile::Refuse));

  const auto again = write_file(path, "two", ExistingFile::Refuse);

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::AlreadyExists);
  EXPECT_EQ(read_file(path).value(), "one");
  EXPECT_FALSE(check_new_file(path));
  EXPECT_TRUE(check_new_file(folder_ / "b"));
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(FileTest, WritesToDevicesWithoutReplacingThem) {
  EXPECT_TRUE(write_file("/dev/null", "x", ExistingFile::Refuse));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, ReadsPipeToItsEndUnlessCancelled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  CancelSource stop;
  stop.cancel("Stop.");
  EXPECT_EQ(read_descriptor(ends[0], "pipe", 9, stop.token()).error().code(),
            ErrorCode::Cancelled);
  ::close(ends[1]);

  EXPECT_EQ(read_descriptor(ends[0], "pipe", 3).value(), "abc");
  ::close(ends[0]);
}

TEST_F(FileTest, AcceptsLongestFileNames) {
  EXPECT_TRUE(write_file(folder_ / std::string(255, 'n'), "x"));
}

TEST_F(FileTest, RejectsFilesAboveSizeLimit) {
  ASSERT_TRUE(write_file(folder_ / "a", "12345"));
  EXPECT_TRUE(read_file(folder_ / "a", 5));
  EXPECT_EQ(read_file(folder_ / "a", 4).error().code(),
            ErrorCode::InvalidArgument);
}

TEST_F(FileTest, ReadsFilesThatReportNoSize) {
  EXPECT_FALSE(read_file("/proc/self/status").value().empty());
}

TEST_F(FileTest, FailedWriteKeepsOldBytes) {
  const fs::path path = folder_ / "a";
  ASSERT_TRUE(write_file(path, "old"));
  const pid_t child = fork();
  if (child == 0) {
    // No file may grow beyond 100 bytes, as on a full disk.
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    _exit(write_file(path, std::string(1000, 'n')) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the write should have failed";
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_EQ(file_count(), 1u);
}

}  // namespace
}  // namespace lamarck
