#include "lamarck/agent/workspace.h"

#include <sys/stat.h>
#include <gtest/gtest.h>

#include "lamarck/agent/temporary_folder_fixture.h"

namespace lamarck::agent {
namespace {

namespace fs = std::filesystem;

struct WorkspaceStage {
  WorkspaceStage() {
    fs::create_directory(folder.path() / "inside");
    folder.write("secret.txt", "secret");
    workspace = Workspace::open(folder.path() / "inside").value();
  }
  Result<std::string> read(std::string_view path) const {
    std::uint64_t size = 0;
    return workspace->read(path, 0, 1000, size);
  }

  TemporaryFolder folder;
  std::shared_ptr<Workspace> workspace;
};

TEST(Workspace, ReadsWhatItWrote) {
  const WorkspaceStage stage;
  ASSERT_TRUE(stage.workspace->write("a/b/c.txt", "first"));
  ASSERT_TRUE(stage.workspace->write("a/b/c.txt", "second"));

  EXPECT_EQ(stage.read("a/b/c.txt").value(), "second");
  EXPECT_EQ(stage.read("./a//b/c.txt").value(), "second");
  const auto entries = stage.workspace->list("", true, 10).value();
  ASSERT_EQ(entries.size(), 3U);  // No draft is left.
  EXPECT_EQ(entries[2].path, "a/b/c.txt");
  EXPECT_EQ(entries[2].size_bytes, 6U);
}

TEST(Workspace, ReadsPartOfFile) {
  const WorkspaceStage stage;
  ASSERT_TRUE(stage.workspace->write("a.txt", "0123456789"));

  std::uint64_t size = 0;
  EXPECT_EQ(stage.workspace->read("a.txt", 3, 4, size).value(), "3456");
  EXPECT_EQ(size, 10U);
  EXPECT_EQ(stage.workspace->read("a.txt", 20, 4, size).value(), "");
}

TEST(Workspace, RefusesPathsThatLeaveIt) {
  const WorkspaceStage stage;
  ASSERT_TRUE(stage.workspace->write("a/x.txt", "x"));
  for (const char* path : {"../secret.txt", "a/../../secret.txt", "/etc/passwd",
                           "..", "a/..", "./../secret.txt"}) {
    const auto read = stage.read(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code(), ErrorCode::PermissionDenied) << path;
    EXPECT_FALSE(stage.workspace->write(path, "x")) << path;
    EXPECT_FALSE(stage.workspace->remove(path)) << path;
    EXPECT_FALSE(stage.workspace->list(path, false, 10)) << path;
  }
  EXPECT_FALSE(stage.read(std::string_view("a\0b", 3)));
}

TEST(Workspace, RefusesSymbolicLinks) {
  const WorkspaceStage stage;
  fs::create_symlink("../secret.txt", stage.workspace->folder() / "file");
  fs::create_directory_symlink("..", stage.workspace->folder() / "up");

  for (const char* path : {"file", "up/secret.txt"}) {
    const auto read = stage.read(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code(), ErrorCode::PermissionDenied)
        << read.error().message();
    EXPECT_FALSE(stage.workspace->write(path, "changed")) << path;
  }
  EXPECT_FALSE(stage.workspace->list("up", false, 10));
  EXPECT_TRUE(stage.workspace->list("", true, 10).value().empty());
  EXPECT_TRUE(fs::exists(stage.folder.path() / "secret.txt"));
}

TEST(Workspace, RemovesFilesAndEmptyFolders) {
  const WorkspaceStage stage;
  ASSERT_TRUE(stage.workspace->write("a/x.txt", "x"));

  EXPECT_FALSE(stage.workspace->remove("a"));
  EXPECT_TRUE(stage.workspace->remove("a/x.txt"));
  EXPECT_TRUE(stage.workspace->remove("a"));
  EXPECT_EQ(stage.workspace->remove("a").error().code(), ErrorCode::NotFound);
}

TEST(Workspace, DoesNotWaitForPipe) {
  const WorkspaceStage stage;
  ASSERT_EQ(mkfifo((stage.workspace->folder() / "pipe").c_str(), 0600), 0);

  EXPECT_FALSE(stage.read("pipe"));
}

}  // namespace
}  // namespace lamarck::agent
