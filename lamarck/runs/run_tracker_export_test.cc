#include "lamarck/runs/run_tracker_export.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lamarck/runs/run_folder_fixture.h"

namespace lamarck::runs {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

RunView sample_run() {
  RunView run;
  run.id = "net-1";
  run.state = std::string(kDone);
  run.summary.kind = "net";
  run.summary.options = {{"target", "y"}, {"seed", 3}};
  run.summary.created = 5'000;
  run.summary.ended = 6'000;
  return run;
}

const std::vector<SeriesPoint> kSeries = {
    {.time = 5'100, .step = 1, .values = {{"score", 0.5}}},
    {.time = 5'200, .step = 2, .values = {{"loss", 0.25}, {"score", 0.75}}}};

TEST(TrackerExport, WritesCsvWithEmptyCells) {
  EXPECT_EQ(series_csv(kSeries),
            "time_ms,step,loss,score\n5100,1,,0.5\n5200,2,0.25,0.75\n");
}

TEST(TrackerExport, WritesMlflowFiles) {
  RunFolder folder;
  const auto place =
      export_mlflow((folder.path() / "mlruns").string(), sample_run(), kSeries)
          .value();
  const std::filesystem::path run(place);
  EXPECT_EQ(text_of(run / "metrics" / "score"), "5100 0.5 1\n5200 0.75 2\n");
  EXPECT_EQ(text_of(run / "params" / "target"), "y");
  EXPECT_NE(text_of(run / "meta.yaml").find("status: 3\n"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(run.parent_path() / "meta.yaml"));
  EXPECT_EQ(run.filename().string().size(), 32u);
}

// Reads the records back and checks a checksum whose value is known: that of
// the eight bytes of a length.
TEST(TrackerExport, WritesRecordsOfTensorBoard) {
  RunFolder folder;
  const auto path = export_tensorboard((folder.path() / "logs").string(),
                                       sample_run(), kSeries)
                        .value();
  const std::string bytes = text_of(path);
  std::size_t at = 0;
  std::vector<std::string> records;
  while (at < bytes.size()) {
    std::uint64_t size = 0;
    ASSERT_LE(at + 12, bytes.size());
    std::memcpy(&size, bytes.data() + at, 8);
    records.push_back(bytes.substr(at + 12, size));
    at += 12 + size + 4;
  }
  EXPECT_EQ(at, bytes.size());
  ASSERT_EQ(records.size(), 3u);
  EXPECT_NE(records[0].find("brain.Event:2"), std::string::npos);
  EXPECT_NE(records[2].find("loss"), std::string::npos);
  // Record 1 has 24 bytes: the masked CRC-32C of that length, computed with
  // another implementation.
  std::uint64_t first = 0;
  std::memcpy(&first, bytes.data(), 8);
  EXPECT_EQ(first, records[0].size());
  std::uint32_t crc = 0;
  std::memcpy(&crc, bytes.data() + 8, 4);
  EXPECT_EQ(crc, 0x224B7FA3u);
}

}  // namespace
}  // namespace lamarck::runs
