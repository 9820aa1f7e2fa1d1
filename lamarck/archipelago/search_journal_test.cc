#include "lamarck/archipelago/search_journal.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"

namespace lamarck::archipelago {
namespace {

class Journal : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::to_string(::getpid()) +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // The numbers n of the lines {"n": ...}.
  std::vector<int> numbers(const JournalPlace* end = nullptr) {
    std::vector<int> numbers;
    const auto place = read_journal(
        path_,
        [&](const Json& line) -> Result<void> {
          numbers.push_back(line.at("n"));
          return {};
        },
        end);
    EXPECT_TRUE(place) << place.error().message();
    return numbers;
  }

  std::filesystem::path path_;
};

TEST_F(Journal, ReadsAppendedLines) {
  auto writer = JournalWriter::create(path_);
  ASSERT_TRUE(writer);
  for (int i = 0; i < 3; ++i) writer->append({{"n", i}});
  ASSERT_TRUE(writer->sync());

  EXPECT_EQ(numbers(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(writer->place().bytes,
            static_cast<std::int64_t>(std::filesystem::file_size(path_)));
}

TEST_F(Journal, CannotBeCreatedTwice) {
  ASSERT_TRUE(JournalWriter::create(path_));

  const auto again = JournalWriter::create(path_);

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::AlreadyExists);
}

TEST_F(Journal, OpenAtTruncatesLaterLines) {
  auto writer = JournalWriter::create(path_);
  ASSERT_TRUE(writer);
  writer->append({{"n", 0}});
  const JournalPlace place = writer->place();
  writer->append({{"n", 1}});
  ASSERT_TRUE(writer->flush());

  auto second = JournalWriter::open_at(path_, place);
  ASSERT_TRUE(second);
  second->append({{"n", 2}});
  ASSERT_TRUE(second->flush());

  EXPECT_EQ(numbers(), (std::vector<int>{0, 2}));
}

TEST_F(Journal, SkipsIncompleteLastLine) {
  std::ofstream(path_) << "{\"n\": 1}\n{\"n\": 2";

  EXPECT_EQ(numbers(), std::vector<int>{1});
}

TEST_F(Journal, ErrorNamesDamagedLine) {
  std::ofstream(path_) << "{\"n\": 1}\n{\"n\": \n";

  const auto place =
      read_journal(path_, [](const Json& /*line*/) { return Result<void>(); });

  ASSERT_FALSE(place);
  EXPECT_NE(place.error().message().find(", line 2: "), std::string::npos)
      << place.error().message();
}

TEST_F(Journal, DetectsChangesBeforePlace) {
  std::ofstream(path_) << "{\"n\": 1}\n{\"n\": 2}\n";
  const JournalPlace good = JournalPlace().after("{\"n\": 1}");
  JournalPlace bad = good;
  bad.chain ^= 1;

  EXPECT_EQ(numbers(&good), std::vector<int>{1});
  EXPECT_FALSE(read_journal(
      path_, [](const Json& /*line*/) { return Result<void>(); }, &bad));
}

TEST_F(Journal, ReportsMissingFile) {
  const auto place =
      read_journal(path_, [](const Json& /*line*/) { return Result<void>(); });

  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code(), ErrorCode::NotFound);
}

}  // namespace
}  // namespace lamarck::archipelago
