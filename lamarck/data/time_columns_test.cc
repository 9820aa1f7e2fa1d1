#include "lamarck/data/time_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/base/text_fixture.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/table_encoding.h"

namespace lamarck::data {
namespace {

TEST(ParseTime, ReadsDatesAndTimes) {
  EXPECT_EQ(parse_time("1970-01-02"), 1.0);
  EXPECT_EQ(parse_time("1970-01-02T12:00"), 1.5);
  EXPECT_EQ(parse_time("1970/01/02 06:00:00.25Z"), 1.25);
  EXPECT_EQ(parse_time("1970-01-02 18:00:00+02:00"), 1.75);
  EXPECT_EQ(parse_time("2024-02-29"), 19782.0);
}

TEST(ParseTime, RejectsOtherTexts) {
  for (const char* text :
       {"", "2023-02-29", "2024-13-01", "2024-02", "24-02-01", "2024-02/01",
        "2024-02-01x", "2024-02-01 25:00", "2024-02-01 12", "monday",
        "2024-02-01T12:00 cet"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

Table visits() {
  return parse_csv(
             "when,note,y\n"
             "2024-01-01,2024-01-01,1\n"
             "2024-01-02,soon,2\n"
             ",soon,3\n"
             "2024-07-02,soon,4\n")
      .value();
}

TEST(TimeColumns, ReplacesColumnsOfTimesOnly) {
  const Table table = with_time_columns(visits(), {}).value();

  EXPECT_EQ(table.columns().size(), 9u);
  EXPECT_FALSE(table.find("when"));
  EXPECT_TRUE(table.find("note"));
  const Column& day = table.columns()[table.find("when: day").value()];
  EXPECT_EQ(day.numbers[1] - day.numbers[0], 1);
  EXPECT_TRUE(std::isnan(day.numbers[2]));
  // Both are a Tuesday.
  const Column& week =
      table.columns()[table.find("when: weekday (sine)").value()];
  EXPECT_DOUBLE_EQ(week.numbers[1], week.numbers[3]);
  EXPECT_NE(week.numbers[0], week.numbers[1]);
  EXPECT_EQ(time_column_name("when: weekday (sine)"), "when");
  EXPECT_EQ(time_column_name("when"), "");
}

TEST(TimeColumns, LeavesIgnoredColumnsAndNamesThatExist) {
  const std::vector<std::string> ignore = {"when"};
  EXPECT_FALSE(with_time_columns(visits(), ignore));
  EXPECT_FALSE(
      with_time_columns(parse_csv("t,t: day\n2024-01-01,5\n").value(), {}));
}

TEST(TimeColumns, EncodingUsesThePartsThatDiffer) {
  const auto encoding =
      TableEncoding::fit(visits(), {.target = "y", .ignore = {"note"}}).value();

  EXPECT_EQ(
      encoding.input_names(),
      (std::vector<std::string>{
          "when: day", "when: weekday (sine)", "when: weekday (cosine)",
          "when: day of the year (sine)", "when: day of the year (cosine)"}));
  EXPECT_TRUE(encoding.dropped().empty());
  EXPECT_TRUE(contains(encoding.remarks().back(), "column 'when' has times"));
  const Table fresh = parse_csv("when\n2024-01-02\n").value();
  const auto rows = encoding.encode(fresh).value();
  const auto known = encoding.encode(visits()).value();
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rows.inputs.at({0, i}), known.inputs.at({1, i}));
  }
  EXPECT_EQ(TableEncoding::from_json(encoding.to_json()).value(), encoding);
}

TEST(TimeColumns, EncodingRejectsOtherTextAmongTimes) {
  const auto encoding =
      TableEncoding::fit(visits(), {.target = "y", .ignore = {"note"}}).value();

  const auto rows =
      encoding.encode(parse_csv("when\n2024-01-02\nyesterday\n").value());

  ASSERT_FALSE(rows);
  EXPECT_TRUE(contains(rows.error().message(), "2024-02-29"))
      << rows.error().message();
}

}  // namespace
}  // namespace lamarck::data
