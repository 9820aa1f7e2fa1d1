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

  Result<JournalPlace> read_lines() {
    return read_journal(path_,
                        [](const Json& /*line*/) { return Result<void>(); });
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
  const JournalPlace good = JournalPlace().after("{\"n\": 1}", false);
  JournalPlace bad = good;
  bad.chain ^= 1;

  EXPECT_EQ(numbers(&good), std::vector<int>{1});
  EXPECT_FALSE(read_journal(
      path_, [](const Json& /*line*/) { return Result<void>(); }, &bad));
}

TEST_F(Journal, EveryChangeOfOneCharacterIsDetected) {
  for (const int lines : {1, 4}) {
    std::filesystem::remove(path_);
    auto writer = JournalWriter::create(path_);
    ASSERT_TRUE(writer);
    writer->append({{"event", "run"}, {"format", 2}});
    for (int i = 1; i < lines; ++i) {
      writer->append({{"n", i}, {"constants", {0.5, -1.25}}});
    }
    ASSERT_TRUE(writer->flush());
    const std::string text = read_file(path_).value();
    ASSERT_TRUE(read_lines());
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char c : std::string_view("0a\n\"}\0", 6)) {
        if (text[at] == c) continue;
        std::string changed = text;
        changed[at] = c;
        std::ofstream(path_, std::ios::binary) << changed;
        EXPECT_FALSE(read_lines())
            << lines << " lines, byte " << at << " becomes " << int{c};
      }
    }
  }
}

TEST_F(Journal, NamesLineWhereChainBreaks) {
  auto writer = JournalWriter::create(path_);
  ASSERT_TRUE(writer);
  for (int i = 0; i < 3; ++i) writer->append({{"n", i}});
  ASSERT_TRUE(writer->flush());
  const std::string text = read_file(path_).value();
  const std::size_t second = text.find('\n') + 1;
  const std::size_t third = text.find('\n', second) + 1;

  // Without the second line, the hash of the third does not fit the first.
  std::ofstream(path_) << text.substr(0, second) << text.substr(third);
  const auto place = read_lines();

  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().message(),
            path_.string() +
                ", line 2: the line does not match its hash, so the journal "
                "was changed after it was written; restore the original file.");
}

TEST_F(Journal, ContinuesOldJournalWithoutHashes) {
  std::ofstream(path_) << "{\"n\":1}\n";
  const auto place = read_lines();
  ASSERT_TRUE(place);
  EXPECT_FALSE(place->is_hashed);

  auto writer = JournalWriter::open_at(path_, *place);
  ASSERT_TRUE(writer);
  writer->append({{"n", 2}});
  ASSERT_TRUE(writer->flush());

  EXPECT_EQ(read_file(path_).value(), "{\"n\":1}\n{\"n\":2}\n");
  EXPECT_EQ(numbers(), (std::vector<int>{1, 2}));
}

TEST_F(Journal, ContinuesChainAtPlace) {
  auto writer = JournalWriter::create(path_);
  ASSERT_TRUE(writer);
  for (int i = 0; i < 2; ++i) writer->append({{"n", i}});
  const JournalPlace place = writer->place();
  writer->append({{"n", 2}});
  ASSERT_TRUE(writer->flush());
  const std::string whole = read_file(path_).value();

  auto again = JournalWriter::open_at(path_, place);
  ASSERT_TRUE(again);
  again->append({{"n", 2}});
  ASSERT_TRUE(again->flush());

  EXPECT_EQ(read_file(path_).value(), whole);
  EXPECT_TRUE(read_lines()->is_hashed);
}

TEST_F(Journal, SkipsHashedLineThatWasCut) {
  auto writer = JournalWriter::create(path_);
  ASSERT_TRUE(writer);
  for (int i = 0; i < 2; ++i) writer->append({{"n", i}});
  ASSERT_TRUE(writer->flush());
  const std::string text = read_file(path_).value();
  for (std::size_t size = text.find('\n') + 1; size < text.size(); ++size) {
    std::ofstream(path_) << text.substr(0, size);
    EXPECT_EQ(numbers(), std::vector<int>{0}) << size;
  }
}

TEST_F(Journal, ReportsMissingFile) {
  const auto place =
      read_journal(path_, [](const Json& /*line*/) { return Result<void>(); });

  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code(), ErrorCode::NotFound);
}

}  // namespace
}  // namespace lamarck::archipelago
