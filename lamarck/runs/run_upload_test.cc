#include "lamarck/runs/run_upload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/data/csv.h"
#include "lamarck/runs/run_folder_fixture.h"

namespace lamarck::runs {
namespace {

Json described(const std::string& csv) {
  return describe_table(data::parse_csv(csv).value());
}

TEST(DescribeTable, ReportsColumnsAndSamples) {
  const Json json = described("x,kind\n1,a\n2.5,b\nNA,a\n");
  EXPECT_EQ(json["rows"], 3);
  EXPECT_EQ(json["columns"][0]["type"], "number");
  EXPECT_EQ(json["columns"][0]["missing"], 1);
  EXPECT_EQ(json["columns"][0]["max"], 2.5);
  EXPECT_EQ(json["columns"][1]["type"], "text");
  EXPECT_EQ(json["columns"][1]["distinct"], 2);
  EXPECT_EQ(json["columns"][1]["samples"], (Json{"a", "b", "a"}));
}

TEST(DescribeTable, GuessesTargetTaskAndCommand) {
  std::string law = "a,b,c\n";
  std::string series = "year,level\n";
  std::string classes = "species,size\n";
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i * 0.37);
    law += n + "," + n + "1," + n + "7\n";
    series += std::to_string(1900 + i) + "," + n + "\n";
    classes += std::string(i % 2 == 0 ? "cat" : "dog") + "," + n + "\n";
  }
  EXPECT_EQ(described(law)["guess"], (Json{{"target", "c"},
                                           {"task", "regress"},
                                           {"time", nullptr},
                                           {"command", "fn"}}));
  EXPECT_EQ(described(series)["guess"], (Json{{"target", "level"},
                                              {"task", "series"},
                                              {"time", "year"},
                                              {"command", "net"}}));
  EXPECT_EQ(described(classes)["guess"], (Json{{"target", "species"},
                                               {"task", "classify"},
                                               {"time", nullptr},
                                               {"command", "net"}}));
}

TEST(DescribeTable, GuessesALawWhereANetworkWouldHaveTooFewRows) {
  std::string table = "planet,axis,period\n";
  for (int i = 1; i <= 9; ++i) {
    table += fmt::format("planet {},{},{}\n", i, i * 0.4, i * 1.7);
  }
  EXPECT_EQ(described(table)["guess"]["command"], "fn");
  EXPECT_EQ(described(table + "planet 10,4,17.1\n")["guess"]["command"], "net");
}

TEST(RunUploads, StoresAndFindsTables) {
  RunFolder folder;
  const RunUploads uploads((folder.path() / "uploads").string());
  const Json json = uploads.add("my table.csv", "x,y\n1,2\n2,4\n").value();
  EXPECT_EQ(json["name"], "my table.csv");
  EXPECT_EQ(json["rows"], 2);
  const auto found = uploads.find(json["id"]).value();
  EXPECT_EQ(found.name, "my table.csv");
  EXPECT_TRUE(std::filesystem::exists(found.path));
}

TEST(RunUploads, RejectsWhatIsNoTableAndUnknownIds) {
  RunFolder folder;
  const RunUploads uploads((folder.path() / "uploads").string());
  EXPECT_FALSE(uploads.add("x", ""));
  EXPECT_FALSE(uploads.add("x", "a,b\n1\n"));
  for (const char* id : {"", "up-none", "../../etc/passwd", "up-../x"}) {
    EXPECT_EQ(uploads.find(id).error().code(), ErrorCode::NotFound) << id;
  }
}

}  // namespace
}  // namespace lamarck::runs
