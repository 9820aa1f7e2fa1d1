#include "lamarck/runs/law_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::runs {
namespace {

TEST(MarkupTree, KeepsTagsTextAndOrder) {
  const Json tree = markup_tree(
      "<math display=\"block\"><mrow><mi>x</mi><mo>&lt;</mo><mn>1</mn>"
      "<mo>&#8722;</mo></mrow></math>");
  EXPECT_EQ(tree["tag"], "math");
  const Json& row = tree["children"][0];
  EXPECT_EQ(row["tag"], "mrow");
  EXPECT_EQ(row["children"][0], (Json{{"tag", "mi"}, {"text", "x"}}));
  EXPECT_EQ(row["children"][1]["text"], "<");
  EXPECT_EQ(row["children"][3]["text"], "\xE2\x88\x92");
}

TEST(MarkupTree, IsNullForBrokenMarkup) {
  for (const char* text : {"", "x", "<a>", "<a></b>", "<a><b></a></b>"}) {
    EXPECT_TRUE(markup_tree(text).is_null()) << text;
  }
}

TEST(LawJson, TypesetsTheFrontOfAnEvent) {
  RunSummary summary;
  summary.facts = {{"target", "y"}, {"inputs", {"x", "v"}}};
  const Json front = {
      {"laws",
       {{{"id", 1}, {"size", 1}, {"nmse", 1.0}, {"formula", "2.5"}},
        {{"id", 2}, {"size", 5}, {"nmse", 0.0}, {"formula", "2.5*x/v + 1"}}}},
      {"chosen", 1},
      {"islands", {0.1}},
      {"lineage", {{{"id", 2}, {"formula", "x*x"}}}}};
  Json view;
  add_laws(front, summary, view);
  ASSERT_EQ(view["front"].size(), 2u);
  EXPECT_EQ(view["front"][0]["chosen"], false);
  const Json& law = view["front"][1];
  EXPECT_EQ(law["chosen"], true);
  EXPECT_EQ(law["inputs"], Json({"x", "v"}));
  EXPECT_EQ(view["front"][0]["inputs"], Json::array());
  EXPECT_EQ(law["mathml"]["tag"], "math");
  EXPECT_NE(law["python"].get<std::string>().find("def equation(x, v"),
            std::string::npos)
      << law["python"];
  EXPECT_NE(law["latex"].get<std::string>().find("frac"), std::string::npos);
  EXPECT_NE(law["cpp"].get<std::string>().find("double"), std::string::npos);
  EXPECT_EQ(view["lineage"][0]["mathml"]["tag"], "math");
  EXPECT_EQ(view["target"], "y");
}

}  // namespace
}  // namespace lamarck::runs
