#include "lamarck/store/internal/file_identity.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace lamarck::store::internal {
namespace {

namespace fs = std::filesystem;

class FileIdentityTest : public testing::Test {
 protected:
  void SetUp() override { write(path_, "first"); }
  void TearDown() override {
    fs::remove(path_);
    fs::remove(other_);
  }

  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
  }

  const fs::path path_ =
      fs::path(testing::TempDir()) / ("identity_" + std::to_string(::getpid()));
  const fs::path other_ = path_.string() + ".other";
};

TEST_F(FileIdentityTest, AcceptsWritesToSameFile) {
  const FileIdentity identity(path_);
  write(path_, "more than it was");

  EXPECT_TRUE(identity.check());
  EXPECT_FALSE(identity.is_replaced());
}

TEST_F(FileIdentityTest, DetectsDeletedFile) {
  const FileIdentity identity(path_);
  fs::rename(path_, other_);

  EXPECT_EQ(identity.check().error().code(), ErrorCode::Unavailable);
  EXPECT_NE(identity.check().error().message().find("was deleted"),
            std::string::npos);
  EXPECT_FALSE(identity.is_replaced());
}

TEST_F(FileIdentityTest, DetectsReplacedFile) {
  const FileIdentity identity(path_);
  write(other_, "second");
  fs::rename(other_, path_);

  EXPECT_NE(identity.check().error().message().find("was replaced"),
            std::string::npos);
  EXPECT_TRUE(identity.is_replaced());
}

TEST_F(FileIdentityTest, DetectsEmptiedFile) {
  const FileIdentity identity(path_);
  write(path_, "");

  EXPECT_NE(identity.check().error().message().find("was emptied"),
            std::string::npos);
}

TEST_F(FileIdentityTest, AlwaysSucceedsWithoutInitialFile) {
  fs::remove(path_);
  const FileIdentity identity(path_);

  EXPECT_TRUE(identity.check());
}

}  // namespace
}  // namespace lamarck::store::internal
