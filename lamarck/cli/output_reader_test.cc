#include "lamarck/cli/output_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <gtest/gtest.h>

namespace lamarck::cli {
namespace {

TEST(OutputReader, PipeHasReaderUntilOtherEndIsClosed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_TRUE(has_reader(ends[1]));
  close(ends[0]);
  EXPECT_FALSE(has_reader(ends[1]));
  close(ends[1]);
}

TEST(OutputReader, FileAlwaysHasReader) {
  const int file = open("/dev/null", O_WRONLY);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(has_reader(file));
  close(file);
}

}  // namespace
}  // namespace lamarck::cli
