#include "lamarck/cli/evolve/fn_targets.h"

#include <gtest/gtest.h>

#include "lamarck/data/csv.h"

namespace lamarck::cli {
namespace {

law::Law make_shared_law(const char* text, std::vector<double> params = {}) {
  law::Law law;
  law.formula = formula::parse_infix(text, {"x", "y"}).value();
  law.params = std::move(params);
  return law;
}

TEST(FnTargets, AreColumnsSeparatedByCommas) {
  const auto table = data::parse_csv("a,b,\"a,b\"\n1,2,3\n").value();
  EXPECT_EQ(target_names(table, "a,b").value(),
            std::vector<std::string>{"a,b"});
  EXPECT_EQ(target_names(table, "b,a").value(),
            (std::vector<std::string>{"b", "a"}));
  EXPECT_FALSE(target_names(table, "a,c"));
  EXPECT_FALSE(target_names(table, "b,b"));
}

TEST(FnTargets, UseTheOtherNumericColumns) {
  const auto table = data::parse_csv("a,b,c,d\n1,2,3,x\n2,3,4,y\n").value();
  SearchFlags flags;
  flags.data = "t.csv";
  const auto all = flags_of_targets(flags, "out", table, {"a", "b"}).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(*all[1].target, "b");
  EXPECT_EQ(*all[1].inputs, "c");
  EXPECT_EQ(*all[1].out, "out/b");
}

TEST(FnTargets, ShareTheLargestEqualParts) {
  const auto parts = shared_parts(
      {make_shared_law("sin(x*y + 1) + x"), make_shared_law("2*sin(x*y + 1)"),
       make_shared_law("a*x", {2.0})},
      {"p", "q", "r"});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].formula, "sin(x*y + 1)");
  EXPECT_EQ(parts[0].targets, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(shared_text(parts), "Shared by 'p' and 'q': sin(x*y + 1)\n");
}

}  // namespace
}  // namespace lamarck::cli
