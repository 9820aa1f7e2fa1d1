#include "lamarck/runs/run_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lamarck/data/csv.h"

namespace lamarck::runs {
namespace {

RunTable sample_table() {
  std::string text = "wing span,kind,lift\n";
  for (int i = 1; i <= 100; ++i) {
    text += std::to_string(i) + "," + (i % 2 == 0 ? "even" : "") + "," +
            std::to_string(2 * i) + "\n";
  }
  return {data::parse_csv(text).value(), "lift"};
}

TEST(RunTable, SampleIsSpreadOverAllRowsAndKeepsMissingCells) {
  const Json json = table_rows_json(sample_table(), 4);
  EXPECT_EQ(json["total"], 100);
  EXPECT_EQ(json["columns"], Json({"wing span", "kind", "lift"}));
  ASSERT_EQ(json["rows"].size(), 4U);
  EXPECT_EQ(json["rows"][0], Json({1.0, nullptr, 2.0}));
  EXPECT_EQ(json["rows"][3][0], 76.0);
  EXPECT_EQ(table_rows_json(sample_table(), 1000)["rows"].size(), 100U);
}

TEST(RunTable, LastRowsAreInOrder) {
  const Json json = table_rows_json(sample_table(), 3, RowChoice::Last);
  EXPECT_EQ(json["total"], 100);
  ASSERT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(json["rows"][0][0], 98.0);
  EXPECT_EQ(json["rows"][2], Json({100.0, "even", 200.0}));
  const Json all = table_rows_json(sample_table(), 500, RowChoice::Last);
  ASSERT_EQ(all["rows"].size(), 100U);
  EXPECT_EQ(all["rows"][0][0], 1.0);
}

TEST(RunTable, LawIsEvaluatedBesideTheTrueValues) {
  const Json fit =
      law_fit_json(sample_table(),
                   "def equation(wing_span):\n    return 2 * wing_span\n", 10)
          .value();
  ASSERT_EQ(fit["truth"].size(), 10U);
  EXPECT_EQ(fit["truth"], fit["predicted"]);
  EXPECT_EQ(fit["total"], 100);
}

TEST(RunTable, LawOfAnotherTableIsRefused) {
  const auto fit = law_fit_json(sample_table(),
                                "def equation(mass):\n    return mass\n", 10);
  ASSERT_FALSE(fit);
  EXPECT_NE(fit.error().message().find("'mass'"), std::string::npos);
}

TEST(RunTable, ValuesThatAreNotFiniteAreNull) {
  const Json fit =
      law_fit_json(sample_table(),
                   "def equation(wing_span):\n    return wing_span / 0\n", 3)
          .value();
  EXPECT_TRUE(fit["predicted"][0].is_null());
}

TEST(RunTable, MissingFolderOrFileIsAnErrorThatSaysSo) {
  RunView run;
  EXPECT_FALSE(read_run_table(run));
  run.summary.folder = testing::TempDir() + "run_table_test";
  std::filesystem::create_directories(run.summary.folder);
  std::ofstream(run.summary.folder + "/run.json")
      << R"({"data": "/nowhere/table.csv", "target": "y"})";
  const auto table = read_run_table(run);
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message().find("no longer there"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::runs
