#include "lamarck/data/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "lamarck/base/file.h"
#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kDelimiters = ",;\t|";

Table parsed(std::string_view text, const CsvOptions& options = {}) {
  return parse_csv(text, options).value();
}

std::string csv_failure(std::string_view text, const CsvOptions& options = {}) {
  const auto result = parse_csv(text, options);
  return result ? "no failure" : result.error().message();
}

// The words of a column, with "(missing)" for missing cells.
Words words(const Column& column) {
  Words all;
  for (const std::int32_t code : column.codes) {
    all.push_back(code == Column::kMissing
                      ? "(missing)"
                      : column.values[static_cast<std::size_t>(code)]);
  }
  return all;
}

TEST(Csv, ReadsNumbersAndCategories) {
  const Table table = parsed("length,species\n1.5,b\n-2e1,a\n+.5,b\n");

  EXPECT_EQ(table.column_names(), Words({"length", "species"}));
  EXPECT_EQ(table.row_count(), 3u);
  EXPECT_EQ(table.columns()[0].kind, ColumnKind::Number);
  EXPECT_EQ(table.columns()[0].numbers, std::vector<double>({1.5, -20, 0.5}));
  EXPECT_EQ(table.columns()[1].kind, ColumnKind::Category);
  EXPECT_EQ(table.columns()[1].values, Words({"a", "b"}));
  EXPECT_EQ(words(table.columns()[1]), Words({"b", "a", "b"}));
}

TEST(Csv, ReadsQuotedDelimitersLineEndsAndQuotes) {
  const Table table =
      parsed("a,b\n\"x, y\",\"two\r\nlines\"\n \"say \"\"hi\"\"\" ,z\"z\n");
  EXPECT_EQ(words(table.columns()[0]), Words({"x, y", "say \"hi\""}));
  EXPECT_EQ(words(table.columns()[1]), Words({"two\r\nlines", "z\"z"}));
}

TEST(Csv, AcceptsAllLineEndsByteOrderMarkAndBlankLines) {
  for (const char* text :
       {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4", "a,b\r1,2\r3,4\r",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n3,4",
        "\n\na , b\n\n1,2\n  \n3,4\n\n"}) {
    const Table table = parsed(text);
    EXPECT_EQ(table.column_names(), Words({"a", "b"})) << text;
    EXPECT_EQ(table.columns()[1].numbers, std::vector<double>({2, 4})) << text;
  }
}

TEST(Csv, DetectsDelimiter) {
  for (const char delimiter : kDelimiters) {
    std::string text = "a?b?c\n1?2?x\n3?4?\"p,q;r|s\tt\"\n";
    std::ranges::replace(text, '?', delimiter);
    const Table table = parsed(text);
    EXPECT_EQ(table.columns().size(), 3u) << delimiter;
    EXPECT_EQ(words(table.columns()[2])[1], "p,q;r|s\tt") << delimiter;
  }
  EXPECT_EQ(parsed("a;b\n1,5;2,5\n3,5;4,5\n").columns().size(), 2u);
  EXPECT_EQ(parsed("a;b\n1;2\n", {.delimiter = ','}).columns().size(), 1u);
  EXPECT_EQ(parsed("a\n1\n").columns().size(), 1u);
}

TEST(Csv, ReadsDecimalCommasBetweenSemicolons) {
  const Table table = parsed("a;b;c\n3,14;x;-1,5e2\n ,5;y;+2\nNA;x;0,0\n");
  EXPECT_EQ(table.columns()[0].kind, ColumnKind::Number);
  EXPECT_EQ(table.columns()[0].numbers[0], 3.14);
  EXPECT_EQ(table.columns()[0].numbers[1], 0.5);
  EXPECT_EQ(table.columns()[1].kind, ColumnKind::Category);
  EXPECT_EQ(table.columns()[2].numbers, std::vector<double>({-150, 2, 0}));
  EXPECT_EQ(parsed("a,b\n\"3,14\",1\n").columns()[0].kind,
            ColumnKind::Category);
  EXPECT_EQ(csv_failure("a;b\n1e999;1\n1,5e999;2\n").substr(0, 6), "Line 2");
}

TEST(Csv, DetectsSemicolonsAndNumbersWithoutHeader) {
  const Table table = parsed("1,5;2,5\n3,5;4,5\n");
  EXPECT_EQ(table.column_names(), Words({"column_1", "column_2"}));
  EXPECT_EQ(table.columns()[1].numbers, std::vector<double>({2.5, 4.5}));
  EXPECT_EQ(parsed("price, net;n\n1,5;2\n").column_names(),
            Words({"price, net", "n"}));
  EXPECT_EQ(parsed("a,b\nx,1;2\ny,3;4\n").columns().size(), 2u);
}

TEST(Csv, ReportsProgressOfLargeText) {
  std::string text = "x,y\n";
  while (text.size() < (std::size_t{4} << 20)) text += "1.25,2.5\n";
  std::vector<std::size_t> steps;
  const CsvOptions options{.watch = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, text.size());
    steps.push_back(done);
  }};

  ASSERT_TRUE(parse_csv(text, options));

  ASSERT_EQ(steps.size(), 4u);
  EXPECT_LT(steps[0], steps[1]);
  EXPECT_EQ(steps.back(), text.size());
}

TEST(Csv, RejectsMixedDecimalSignsInOneColumn) {
  EXPECT_EQ(csv_failure("x;y\n1;2\n1.5;2\n1,234;2\n"),
            "Line 4: '1,234' in column 'x' has a decimal comma, but '1.5' in "
            "line 3 has a decimal point; use only one of them.");
  EXPECT_EQ(csv_failure("x;y\n1,5;2\n1.000,5;2\n"),
            "Line 3: '1.000,5' in column 'x' has points between thousands; "
            "remove them, as in 1234,5.");
  EXPECT_EQ(csv_failure("x,y\n5.185,2\n\"0,5\",2\n"),
            "Line 3: '0,5' in column 'x' has a decimal comma, but '5.185' in "
            "line 2 has a decimal point; use only one of them.");
  // A 0 before the comma shows that it does not separate thousands.
  EXPECT_EQ(csv_failure("x\ty\n\"0,500\"\t2\n5.185\t2\n"),
            "Line 2: '0,500' in column 'x' has a decimal comma, but '5.185' in "
            "line 3 has a decimal point; use only one of them.");
  EXPECT_EQ(words(parsed("x,y\n5.185,2\n\"0,5\",2\nnone,3\n").columns()[0]),
            Words({"5.185", "0,5", "none"}));
  EXPECT_EQ(parsed("x;y\n1,5;2.5\n").columns()[1].numbers[0], 2.5);
}

TEST(Csv, QuotesCellsWithOtherDelimiters) {
  const Table table = parsed("a,b\n\"x;y\",1\n\"p|q\",2\n\"r\ts\",3\n");
  const std::string text = to_csv(table);
  EXPECT_EQ(text, "a,b\n\"x;y\",1\n\"p|q\",2\n\"r\ts\",3\n");
  EXPECT_EQ(words(parsed(text).columns()[0]), Words({"x;y", "p|q", "r\ts"}));
}

TEST(Csv, DetectsHeader) {
  EXPECT_EQ(parsed("1,x\n2,y\n").column_names(),
            Words({"column_1", "column_2"}));
  EXPECT_EQ(parsed("p,q\n2,y\n").row_count(), 1u);
  EXPECT_EQ(parsed("p,q\nr,s\n", {.header = CsvHeader::No}).row_count(), 2u);
  EXPECT_EQ(
      parsed("2020,2021\n5,6\n", {.header = CsvHeader::Yes}).column_names(),
      Words({"2020", "2021"}));
  EXPECT_EQ(parsed(",q\n2,y\n").column_names(), Words({"column_1", "q"}));
}

TEST(Csv, RecognizesMissingCells) {
  const Table table =
      parsed("n,w\n,x\nNA,\nnan,-\nNULL,?\n\"\",n/a\n-1,y\n4,NaN\n");
  const Column& numbers = table.columns()[0];
  EXPECT_EQ(numbers.kind, ColumnKind::Number);
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_TRUE(numbers.is_missing(row)) << row;
  }
  EXPECT_EQ(numbers.numbers[5], -1);
  EXPECT_EQ(words(table.columns()[1]),
            Words({"x", "(missing)", "(missing)", "(missing)", "(missing)", "y",
                   "(missing)"}));
}

TEST(Csv, AcceptsCustomMissingWords) {
  const Table table = parsed("n,w\n-999,NA\n5,x\n", {.missing = {"-999"}});
  EXPECT_TRUE(table.columns()[0].is_missing(0));
  EXPECT_EQ(words(table.columns()[1]), Words({"NA", "x"}));
}

TEST(Csv, KeepsSpellingWhenNumericColumnTurnsToWords) {
  const Table table = parsed("id,n\n007,1\n1.50,2\n,3\nx,4\n");
  EXPECT_EQ(words(table.columns()[0]),
            Words({"007", "1.50", "(missing)", "x"}));
  EXPECT_EQ(table.columns()[1].numbers, std::vector<double>({1, 2, 3, 4}));
}

TEST(Csv, EmptyColumnIsNumeric) {
  const Table table = parsed("a,b\n,1\n,2\n");
  EXPECT_EQ(table.columns()[0].kind, ColumnKind::Number);
  EXPECT_TRUE(table.columns()[0].is_missing(1));
}

TEST(Csv, DistinguishesCategoriesFromText) {
  std::string text = "few,many\n";
  for (int i = 0; i < 100; ++i) {
    text += "c" + std::to_string(i % 25) + ",t" + std::to_string(i) + "\n";
  }
  const Table table = parsed(text);
  EXPECT_EQ(table.columns()[0].kind, ColumnKind::Category);
  EXPECT_EQ(table.columns()[1].kind, ColumnKind::Text);
  EXPECT_EQ(parsed(text, {.max_categories = 10}).columns()[0].kind,
            ColumnKind::Text);
}

TEST(Csv, RejectsHugeNumbersAndRoundsTinyOnes) {
  EXPECT_EQ(csv_failure("x\n1\n1e999\n"),
            "Line 3: '1e999' in column 'x' is out of range; numbers must be "
            "below 1.8e308.");
  EXPECT_EQ(csv_failure("x\n" + std::string(400, '9') + "\n").substr(0, 6),
            "Line 2");
  EXPECT_EQ(csv_failure("x\n0.01e400\n").substr(0, 6), "Line 2");
  const Table table = parsed("x\n1e-999\n0." + std::string(400, '0') +
                             "1\n1000e-400\n-1e-99999999999999999999\n");
  EXPECT_EQ(table.columns()[0].numbers, std::vector<double>({0, 0, 0, 0}));
  // A hash that happens to look like a number is still a word.
  EXPECT_EQ(words(parsed("hash\n1e999\n3fa2\n").columns()[0]),
            Words({"1e999", "3fa2"}));
}

TEST(Csv, ErrorsNameProblemAndLine) {
  EXPECT_EQ(csv_failure(""),
            "The file is empty; it must contain at least one row.");
  EXPECT_EQ(csv_failure("\n \r\n"),
            "The file is empty; it must contain at least one row.");
  EXPECT_EQ(csv_failure("a,b\n"), "The table has a header but no rows.");
  EXPECT_EQ(csv_failure("a,b\n1,2\n3\n"),
            "Line 3: the row has 1 cell, but the first row has 2.");
  EXPECT_EQ(csv_failure("a,b\n\"p\nq\",2\n1,2,3\n"),
            "Line 4: the row has 3 cells, but the first row has 2.");
  EXPECT_EQ(csv_failure("a,b,a\n1,2,3\n"),
            "Line 1: columns 1 and 3 are both named 'a'; rename one.");
  EXPECT_EQ(csv_failure("a,b\n1,\"x\n"),
            "Line 2: a quote (\") opens a cell but is never closed.");
  EXPECT_EQ(csv_failure("a,b\n\"x\"y,1\n"),
            "Line 2: 'y' follows a closing quote; double the quotes inside a "
            "cell (\"\").");
  EXPECT_EQ(csv_failure(std::string_view("a\n1\0", 4)),
            "Line 2: the text contains a zero byte, so it is damaged or not a "
            "table; save it again as CSV in UTF-8.");
  EXPECT_EQ(csv_failure("\x1F\x8B\x08"),
            "This looks gzip-compressed; decompress it first.");
  EXPECT_EQ(
      csv_failure(std::string(1'000'000, ',') + "\n"),
      "Line 1: the row has more than 1000000 columns; use fewer of them.");
  EXPECT_EQ(parse_csv("a,b\n1\n").error().fields().at("line"), "2");
}

TEST(Csv, ErrorsNameFile) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto path = folder / "lamarck_csv_test.csv";
  ASSERT_TRUE(write_file(path, "a,b\n1\n"));
  EXPECT_EQ(
      read_csv(path).error().message(),
      path.string() + ": Line 2: the row has 1 cell, but the first row has 2.");
  ASSERT_TRUE(write_file(path, "a,b\n1,2\n"));
  EXPECT_EQ(read_csv(path).value().row_count(), 1u);
  std::filesystem::remove(path);
  EXPECT_EQ(read_csv(path).error().code(), ErrorCode::NotFound);
  EXPECT_FALSE(read_csv(folder)) << "a directory is not a file";
}

TEST(Table, SuggestsNearestColumn) {
  const Table table = parsed("species,length\na,1\n");
  EXPECT_EQ(table.find("length").value(), 1u);
  EXPECT_EQ(table.find("specis").error().message(),
            "There is no column 'specis'; did you mean 'species'?");
  EXPECT_EQ(table.find("colour").error().message(),
            "There is no column 'colour'; the columns are species, length.");
}

TEST(Table, FindsEachOfManyColumns) {
  std::vector<Column> columns;
  for (int i = 0; i < 20'000; ++i) {
    columns.push_back({.name = "c" + std::to_string(i * 7919 % 20'000),
                       .kind = ColumnKind::Number,
                       .numbers = {1.0}});
  }
  const Table table(std::move(columns));
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    ASSERT_EQ(table.find(table.columns()[i].name).value(), i);
  }
}

TEST(Table, SelectsRowsInAnyOrder) {
  const Table table = parsed("species,length\na,1\nb,2\n,3\n");
  const std::size_t wanted[] = {2, 0, 2};
  const Table part = table.rows(wanted);
  EXPECT_EQ(words(part.columns()[0]), Words({"(missing)", "a", "(missing)"}));
  EXPECT_EQ(part.columns()[1].numbers, std::vector<double>({3, 1, 3}));
  const std::size_t beyond[] = {3};
  EXPECT_THROW(table.rows(beyond), LogicError);
}

TEST(Table, RejectsInconsistentColumns) {
  EXPECT_THROW(
      Table({{.name = "a", .numbers = {1}}, {.name = "b", .numbers = {1, 2}}}),
      LogicError);
  EXPECT_THROW(
      Table({{.name = "a", .numbers = {1}}, {.name = "a", .numbers = {2}}}),
      LogicError);
  EXPECT_THROW(
      Table({{.name = "a", .kind = ColumnKind::Category, .codes = {0}}}),
      LogicError);
}

std::string random_word(Rng& rng) {
  static const Words kPieces = {"\"", "\n", "\r\n", "\r",   ",",
                                ";",  "\t", "|",    " ",    "a",
                                "é",  "1",  "-",    "\"\"", "NA"};
  std::string word;
  const std::size_t length = rng.below(8);
  for (std::size_t i = 0; i < length; ++i) word += rng.choice(kPieces);
  return word;
}

TEST(Csv, RoundTripsArbitraryCells) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const std::size_t width = 1 + rng.below(4);
    const std::size_t height = 1 + rng.below(6);
    std::vector<Column> columns;
    std::vector<Words> cells(width);
    for (std::size_t i = 0; i < width; ++i) {
      Column column{.name = "n" + std::to_string(i) + random_word(rng) + "x",
                    .kind = ColumnKind::Category};
      for (std::size_t row = 0; row < height; ++row) {
        // The first cell is never a number, so the column holds words.
        cells[i].push_back(random_word(rng) + (row == 0 ? "x" : ""));
        column.codes.push_back(static_cast<std::int32_t>(row));
        column.values.push_back(cells[i].back());
      }
      columns.push_back(column);
    }
    const Table table(columns);
    const char delimiter = rng.choice(kDelimiters);
    const std::string text = to_csv(table, {.delimiter = delimiter});
    const auto back = parse_csv(
        text,
        {.header = CsvHeader::Yes, .delimiter = delimiter, .missing = {}});
    ASSERT_TRUE(back) << "seed " << seed << ": " << text
                      << back.error().message();
    EXPECT_EQ(back->column_names(), table.column_names()) << "seed " << seed;
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_EQ(words(back->columns()[i]), cells[i]) << "seed " << seed;
    }
  }
}

TEST(Csv, RoundTripsNumbersExactly) {
  Rng rng(1);
  Column column{.name = "x"};
  for (int i = 0; i < 2000; ++i) {
    column.numbers.push_back(rng.normal() *
                             std::pow(10, rng.integer(-300, 300)));
  }
  const Table back = parsed(to_csv(Table({column})));
  EXPECT_EQ(back.columns()[0].numbers, column.numbers);
}

TEST(Csv, KeepsMissingCellsOfSingleColumn) {
  const Table table({{.name = "x", .numbers = {1, NAN, 3}}});
  EXPECT_EQ(to_csv(table), "x\n1\n\"\"\n3\n");
  EXPECT_TRUE(parsed(to_csv(table)).columns()[0].is_missing(1));
}

TEST(Csv, SurvivesArbitraryBytes) {
  constexpr std::string_view kBytes = "\"\",;\t|\n\r 0159.eE+-aNA?\xFF\xC3\xEF";
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Rng rng(seed);
    std::string text(rng.below(60), ' ');
    for (char& c : text) {
      c = rng.chance(0.9) ? rng.choice(kBytes)
                          : static_cast<char>(rng.below(256));
    }
    const auto table = parse_csv(text);
    if (table) {
      EXPECT_GT(table->row_count(), 0u) << "seed " << seed;
    } else {
      EXPECT_TRUE(table.error().message().ends_with('.')) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lamarck::data
