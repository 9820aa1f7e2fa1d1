#include <unistd.h>
#include <zlib.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "lamarck/base/file.h"
#include "lamarck/data/csv.h"

namespace lamarck::data {
namespace {

using namespace std::string_literals;

class CsvTextTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  // The result of reading a file with these bytes, as CSV or as a message.
  std::string read_back(const std::string& bytes,
                        const CsvOptions& options = {}) {
    EXPECT_TRUE(write_file(path_, bytes));
    const auto table = read_csv(path_, options);
    return table ? to_csv(*table) : table.error().message();
  }

  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                ("csv_text_" + std::to_string(::getpid()));
};

std::string to_gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file(path).value();
}

TEST_F(CsvTextTest, DecompressesFiles) {
  const std::string bytes = to_gzip(path_.string(), "a,b\n1,x\n");
  EXPECT_EQ(read_back(bytes), "a,b\n1,x\n");
  EXPECT_EQ(
      read_back(bytes.substr(0, bytes.size() - 9)),
      path_.string() + ": The gzip data ends too early; copy the file again.");
}

TEST_F(CsvTextTest, RecognisesOtherEncodings) {
  EXPECT_EQ(read_back("a,b\n1,x\n2,caf\xE9\n"),
            path_.string() +
                ": Line 3: the text is not UTF-8 and looks like latin1; read "
                "it with --encoding latin1, or convert it with `iconv -f "
                "latin1 -t utf-8`.");
  EXPECT_EQ(read_back("\xFF\xFE"
                      "a\0\n\0"s)
                .substr(path_.string().size()),
            ": Line 1: the text is not UTF-8 and looks like utf-16; read it "
            "with --encoding utf-16, or convert it with `iconv -f utf-16 -t "
            "utf-8`.");
}

TEST_F(CsvTextTest, ReadsGivenEncoding) {
  EXPECT_EQ(read_back("a,b\n1,caf\xE9\n", {.encoding = "latin1"}),
            "a,b\n1,café\n");
  EXPECT_EQ(read_back("\xFF\xFE"
                      "a\0\n\0"
                      "1\0\n\0"s,
                      {.encoding = "utf-16"}),
            "a\n1\n");
}

TEST(Csv, VerbatimKeepsSpelling) {
  const std::string text = "id,x\n007,1.50\n,+2\n";
  const auto table =
      parse_csv(text, {.missing = {""}, .is_verbatim = true}).value();

  EXPECT_EQ(to_csv(table), text);
}

TEST(Csv, SafeWordsCannotBeFormulas) {
  const auto table =
      parse_csv("=name,x\n=1+1,-1\n@SUM(A1),2\n-5 C,3\n+b,4\n\"\t,c\",5\nd,6\n")
          .value();

  EXPECT_EQ(to_csv(table, {.is_safe = true}),
            "'=name,x\n'=1+1,-1\n'@SUM(A1),2\n'-5 C,3\n'+b,4\n\"'\t,c\",5\nd,"
            "6\n");
  EXPECT_EQ(to_csv(table).find('\''), std::string::npos);
}

// The numbers of the first column, or its words.
std::string first_column(const std::string& cells) {
  const auto table = parse_csv("x\n" + cells, {.header = CsvHeader::Yes});
  if (!table) return table.error().message();
  const Column& column = table->columns()[0];
  std::string text = column.kind == ColumnKind::Number ? "numbers" : "words";
  for (const double number : column.numbers) {
    text += " " + std::to_string(number).substr(0, 8);
  }
  return text;
}

TEST(Csv, ReadsThousandsIfColumnIsConsistent) {
  EXPECT_EQ(first_column("\"1,000.5\"\n999\n\"-12,345\"\n.25\n"),
            "numbers 1000.500 999.0000 -12345.0 0.250000");
  EXPECT_EQ(first_column("\"1,000\"\n1000\n"), "words");
  EXPECT_EQ(first_column("1000\n\"1,000\"\n"), "words");
  EXPECT_EQ(first_column("\"1,00\"\n"), "words");
  EXPECT_EQ(first_column("\"1,000,00\"\n"), "words");
  EXPECT_EQ(first_column("\"1000,000\"\n"), "words");
  EXPECT_EQ(first_column("\",000\"\n"), "words");
}

}  // namespace
}  // namespace lamarck::data
