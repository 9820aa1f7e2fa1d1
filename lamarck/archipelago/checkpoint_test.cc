#include "lamarck/archipelago/checkpoint.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <fstream>

#include "lamarck/base/file.h"

namespace lamarck::archipelago {
namespace {

std::filesystem::path path_for(const char* name) {
  return std::filesystem::path(::testing::TempDir()) /
         (std::to_string(::getpid()) + name);
}

Checkpoint checkpoint() {
  return {
      .cycle = 7,
      .journal = {.bytes = 100, .lines = 3, .chain = 0xfedcba9876543210},
      .history = {.spent = {.evaluations = 5, .tokens = 6, .money_micros = 8},
                  .wall_time = std::chrono::milliseconds(9)},
      .since_reset = std::chrono::milliseconds(4),
      .engine = {{"weights", {0.1, -0.0, 1e-300}}}};
}

TEST(Checkpoint, LoadsWhatWasSaved) {
  const auto path = path_for("checkpoint_back.json");
  ASSERT_TRUE(save_checkpoint(path, checkpoint()));

  const auto loaded = load_checkpoint(path);

  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->cycle, 7U);
  EXPECT_EQ(loaded->journal, checkpoint().journal);
  EXPECT_EQ(loaded->history.spent, checkpoint().history.spent);
  EXPECT_EQ(loaded->history.wall_time, checkpoint().history.wall_time);
  EXPECT_EQ(loaded->since_reset, checkpoint().since_reset);
  EXPECT_EQ(loaded->engine, checkpoint().engine);
}

TEST(Checkpoint, DetectsEveryChangedByte) {
  const auto path = path_for("checkpoint_bytes.json");
  ASSERT_TRUE(save_checkpoint(path, checkpoint()));
  const std::string text = *read_file(path);

  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '1' ? '2' : '1';
    std::ofstream(path, std::ios::binary) << changed;
    EXPECT_FALSE(load_checkpoint(path)) << "byte " << i;
  }
}

TEST(Checkpoint, ReportsMissingFile) {
  const auto loaded = load_checkpoint(path_for("no_checkpoint.json"));

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), ErrorCode::NotFound);
}

}  // namespace
}  // namespace lamarck::archipelago
