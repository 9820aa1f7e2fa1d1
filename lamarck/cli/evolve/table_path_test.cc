#include "lamarck/cli/evolve/table_path.h"

#include <gtest/gtest.h>

namespace lamarck::cli {
namespace {

TEST(TablePath, StemLeavesOutFormats) {
  EXPECT_EQ(table_stem("data/points.csv"), "points");
  EXPECT_EQ(table_stem("points.csv.gz"), "points");
  EXPECT_EQ(table_stem("points.zst"), "points");
  EXPECT_EQ(table_stem("points.v2.csv"), "points.v2");
  EXPECT_EQ(table_stem("-"), "stdin");
  EXPECT_EQ(table_stem("/dev/stdin"), "stdin");
}

TEST(TablePath, StoresAbsolutePaths) {
  EXPECT_EQ(stored_table_path("-"), "-");
  EXPECT_EQ(stored_table_path("/a/b.csv"), "/a/b.csv");
  EXPECT_TRUE(stored_table_path("b.csv").ends_with("/b.csv"));
}

}  // namespace
}  // namespace lamarck::cli
