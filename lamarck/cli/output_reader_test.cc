#include "lamarck/cli/output_reader.h"

#include <unistd.h>

#include <array>
#include <sstream>
#include <gtest/gtest.h>

namespace lamarck::cli {
namespace {

TEST(OutputReader, APipeHasOneUntilItsOtherEndIsClosed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_TRUE(has_reader(ends[1]));
  close(ends[0]);
  EXPECT_FALSE(has_reader(ends[1]));
  close(ends[1]);
}

TEST(OutputReader, OtherStreamsHaveOne) {
  const std::ostringstream text;
  EXPECT_TRUE(has_reader(text));
}

}  // namespace
}  // namespace lamarck::cli
