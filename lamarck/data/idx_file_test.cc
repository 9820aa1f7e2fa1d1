#include "lamarck/data/idx_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "lamarck/base/file.h"
#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

using namespace std::string_literals;

std::string idx_failure(std::string_view bytes) {
  const auto result = parse_idx(bytes);
  return result ? "no failure" : result.error().message();
}

TEST(Idx, ReadsEveryTypeInBigEndian) {
  const std::string two = "\0\0\0\2"s;
  EXPECT_EQ(parse_idx("\0\0\x08\1"s + two + "\0\xFF"s)->to_string(),
            "[0, 255]");
  EXPECT_EQ(parse_idx("\0\0\x09\1"s + two + "\x7F\xFF"s)->to_string(),
            "[127, -1]");
  EXPECT_EQ(parse_idx("\0\0\x0B\1"s + two + "\1\0\xFF\xFE"s)->to_string(),
            "[256, -2]");
  EXPECT_EQ(
      parse_idx("\0\0\x0C\1"s + two + "\0\1\0\0\xFF\xFF\xFF\xFD"s)->to_string(),
      "[65536, -3]");
  EXPECT_EQ(
      parse_idx("\0\0\x0D\1"s + two + "\x3F\x80\0\0\xC0\x20\0\0"s)->to_string(),
      "[1, -2.5]");
  EXPECT_EQ(parse_idx("\0\0\x0E\1"s + two +
                      "\x3F\xF0\0\0\0\0\0\0\xC0\x04\0\0\0\0\0\0"s)
                ->to_string(),
            "[1, -2.5]");
}

TEST(Idx, ReadsAllAxesOfImages) {
  const std::string header = "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\2"s;
  EXPECT_EQ(parse_idx(header + "\1\2\3\4"s)->to_string(),
            "[[[1, 2]], [[3, 4]]]");
  EXPECT_EQ(parse_idx("\0\0\x08\2\0\0\0\0\0\0\0\5"s)->shape(), Shape({0, 5}));
}

TEST(Idx, ErrorsNameProblem) {
  EXPECT_EQ(idx_failure("\x1F\x8B\x08\0\0"s),
            "This looks gzip-compressed; run gunzip on it first.");
  EXPECT_EQ(
      idx_failure("\0\0"s),
      "An IDX file starts with a header of 4 bytes, but this file has 2.");
  EXPECT_EQ(idx_failure("PK\3\4"),
            "This is not an IDX file: it starts with 0x504b0304 instead of two "
            "zero bytes, a type and the number of axes.");
  EXPECT_EQ(idx_failure("\0\0\x0A\1\0\0\0\0"s).substr(0, 23),
            "This is not an IDX file");
  EXPECT_EQ(idx_failure("\0\0\x08\0"s),
            "The number of axes must be between 1 and 8, got 0.");
  EXPECT_EQ(idx_failure("\0\0\x08\x09"s),
            "The number of axes must be between 1 and 8, got 9.");
  EXPECT_EQ(idx_failure("\0\0\x08\2\0\0\0\2"s),
            "The file ends before the sizes of its 2 axes.");
  EXPECT_EQ(idx_failure("\0\0\x08\1\0\0\0\3xy"s),
            "The sizes of the axes require 3 bytes of numbers, but the file "
            "has 2; it is truncated.");
  EXPECT_EQ(idx_failure("\0\0\x08\1\0\0\0\1xy"s),
            "The sizes of the axes require 1 bytes of numbers, but the file "
            "has 2; it is too long.");
  const std::string huge = "\xFF\xFF\xFF\xFF"s;
  EXPECT_EQ(idx_failure("\0\0\x08\3"s + huge + huge + huge),
            "The sizes of the axes are too large: axis 1 has size 4294967295.");
  EXPECT_EQ(idx_failure("\0\0\x08\4\0\0\0\0"s + huge + huge + huge),
            "The sizes of the axes are too large: axis 2 has size 4294967295.")
      << "even if an axis is empty";
}

TEST(Idx, ErrorsNameFile) {
  const auto path =
      std::filesystem::temp_directory_path() / "lamarck_idx_test.idx";
  ASSERT_TRUE(write_file(path, "\0\0\x08\1\0\0\0\2\5\6"s));
  EXPECT_EQ(read_idx(path)->to_string(), "[5, 6]");
  ASSERT_TRUE(write_file(path, "no"));
  EXPECT_TRUE(read_idx(path).error().message().starts_with(path.string()));
  std::filesystem::remove(path);
  EXPECT_EQ(read_idx(path).error().code(), ErrorCode::NotFound);
}

TEST(Idx, SurvivesArbitraryBytes) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Rng rng(seed);
    std::string bytes = "\0\0\x08\2"s;
    bytes[2] = static_cast<char>(8 + rng.below(8));
    bytes[3] = static_cast<char>(rng.below(10));
    const std::size_t more = rng.below(64);
    for (std::size_t i = 0; i < more; ++i) {
      bytes += rng.chance(0.7) ? '\0' : static_cast<char>(rng.below(256));
    }
    const auto tensor = parse_idx(bytes);
    if (tensor) {
      EXPECT_LE(tensor->element_count(), 64) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lamarck::data
