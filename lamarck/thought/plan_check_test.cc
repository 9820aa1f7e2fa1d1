#include "lamarck/thought/plan_check.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lamarck::thought {
namespace {

const PlanType& execution_plan() { return built_in_plan_types()[0]; }
const PlanType& doc_plan() { return built_in_plan_types()[1]; }

Json sound_plan() {
  return Json::parse(R"({
    "dry_run": true,
    "rollback": {"strategy": "git_revert"},
    "limits": {"max_changes": 50, "max_files": 5},
    "capabilities_required": ["edit_files"],
    "success_criteria": ["all tests pass"],
    "risk_estimate": {"test_coverage": 0.95},
    "context_sufficiency": {"unresolved_symbol_rate": 0.01,
                            "callgraph_coverage": 0.95}})");
}

PlanReview review(const Json& plan) {
  return review_plan(plan, execution_plan(), std::nullopt).value();
}

bool suggests(const PlanReview& review, std::string_view words) {
  return std::ranges::any_of(review.suggestions, [&](const auto& suggestion) {
    return suggestion.find(words) != std::string::npos;
  });
}

TEST(PlanCheck, AcceptsGoodPlan) {
  const PlanReview good = review(sound_plan());

  EXPECT_TRUE(good.passes);
  EXPECT_TRUE(good.violations.empty());
  EXPECT_EQ(good.suggestions, std::vector<std::string>{});
  EXPECT_DOUBLE_EQ(good.completeness.value, 1.0);
  EXPECT_DOUBLE_EQ(good.risk.total, 0.3 * 0.1 + 0.3 * (1 - 0.95) +
                                        0.2 * (0.01 / 0.05) + 0.2 * 0.5);
  EXPECT_EQ(good.risk.level, "low");
  EXPECT_TRUE(good.context->is_sufficient);
}

TEST(PlanCheck, CriticalRiskRejectsOnlyWhatItWasMadeFor) {
  Json risky = sound_plan();
  risky["limits"]["max_changes"] = 900;
  risky["risk_estimate"]["test_coverage"] = 0;
  EXPECT_FALSE(review_plan(risky, execution_plan(), 1)->passes);
  Json document = Json::parse(R"({"target_path": "docs/a.md",
      "naming_convention": "kebab-case", "structure_template": "guide",
      "validation_rules": ["has_title"]})");
  EXPECT_TRUE(review_plan(document, doc_plan(), 1)->passes);
  document["validation_rules"] = Json::array();
  EXPECT_TRUE(review_plan(document, doc_plan(), std::nullopt)->passes);
  const PlanReview unchecked = review_plan(document, doc_plan(), 1).value();
  EXPECT_FALSE(unchecked.passes);
  EXPECT_TRUE(suggests(unchecked, "add rules to validation_rules"));
  const PlanType custom{.name = "Trip", .schema = R"({"type": "object"})"};
  EXPECT_TRUE(review_plan(Json::object(), custom, 1)->passes);
}

TEST(PlanCheck, SuggestionsSatisfyTheSchema) {
  const PlanType custom{
      .name = "Trip",
      .schema = R"({"type": "object", "required": ["limits", "dry_run", "mode",
          "route"], "properties": {"limits": {"type": "string"},
          "dry_run": {"type": "boolean"}, "mode": {"enum": ["fast", "slow"]},
          "route": {"type": "array", "minItems": 2}}})",
      .required_fields = {"limits", "dry_run", "mode", "route"}};
  const auto suggestions =
      review_plan(Json::object(), custom, std::nullopt)->suggestions;
  EXPECT_EQ(suggestions,
            (std::vector<std::string>{"Add the field 'limits'.",
                                      "Add the field 'dry_run', such as true.",
                                      "Add the field 'mode', such as \"fast\".",
                                      "Add the field 'route'."}));
}

TEST(PlanCheck, RejectsPathsOutsideProject) {
  const auto reviewed = [](const char* path) {
    Json plan = Json::parse(R"({"naming_convention": "kebab-case",
        "structure_template": "guide", "validation_rules": ["has_title"]})");
    plan["target_path"] = path;
    return review_plan(plan, doc_plan(), std::nullopt).value();
  };

  for (const char* path : {"",
                           " ",
                           "/etc/passwd",
                           "../a.md",
                           "docs/../../a.md",
                           "docs/..",
                           "..\\a.md",
                           "C:\\a.md",
                           "\\\\host\\a.md",
                           "~/a.md",
                           "file:///a.md",
                           "docs/a\nb.md",
                           "%2e%2e/a.md",
                           "docs/%2E%2e%2Fa.md",
                           "docs/.%2e",
                           "docs%5c..%5Ca.md",
                           "%2fetc/passwd",
                           "a%00.md",
                           "%252e%252e/a.md",
                           "%2525252e./a.md"}) {
    const PlanReview review = reviewed(path);
    EXPECT_FALSE(review.passes) << path;
    ASSERT_EQ(review.violations.size(), 1u) << path;
    EXPECT_EQ(review.violations[0].instance_path, "/target_path") << path;
    EXPECT_TRUE(suggests(review, "/target_path")) << path;
  }
  EXPECT_TRUE(suggests(reviewed("../a.md"), "such as docs/guide.md"));
  for (const char* path :
       {"a.md", "docs/a..b.md", "./docs/a.md", "docs/...", "docs/100%.md",
        "docs/a%20b.md", "docs/%2e%2g.md", "docs/\xC3\xA9t\xC3\xA9.md"}) {
    EXPECT_TRUE(reviewed(path).violations.empty()) << path;
  }
}

TEST(PlanCheck, AcceptsGoodDocPlan) {
  const Json plan = Json::parse(R"({
    "target_path": "docs/a.md", "naming_convention": "kebab-case",
    "structure_template": "guide", "validation_rules": ["has_title"]})");

  EXPECT_TRUE(review_plan(plan, doc_plan(), 0.0)->passes);
}

TEST(PlanCheck, SuggestsExampleForEachMissingField) {
  Json plan = sound_plan();
  plan.erase("rollback");
  plan["limits"] = nullptr;
  const PlanReview bad = review(plan);

  EXPECT_FALSE(bad.passes);
  EXPECT_DOUBLE_EQ(bad.completeness.value, 0.6);
  EXPECT_EQ(bad.completeness.missing_fields,
            (std::vector<std::string>{"rollback", "limits"}));
  EXPECT_TRUE(suggests(
      bad, R"(Add the field 'rollback', such as {"strategy": "git_revert"}.)"));
}

TEST(PlanCheck, ExamplesOfRequiredFieldsSatisfySchema) {
  for (const PlanType& type : built_in_plan_types()) {
    const PlanReview empty = review_plan(Json::object(), type, 0.0).value();
    EXPECT_DOUBLE_EQ(empty.completeness.value, 0.0);
    Json plan = Json::object();
    for (std::size_t i = 0; i < type.required_fields.size(); ++i) {
      const std::string& text = empty.suggestions.at(i);
      const std::size_t at = text.find("such as ") + 8;
      plan[type.required_fields[i]] =
          Json::parse(text.substr(at, text.size() - at - 1));
    }
    EXPECT_TRUE(review_plan(plan, type, 0.0)->passes) << type.name;
  }
}

TEST(PlanCheck, SchemaRequiresCompletenessFields) {
  for (const PlanType& type : built_in_plan_types()) {
    EXPECT_EQ(Json::parse(type.schema)["required"], Json(type.required_fields));
  }
}

TEST(PlanCheck, SuggestionsNameViolatedPaths) {
  Json plan = sound_plan();
  plan["limits"]["max_changes"] = 1001;
  plan["rollback"]["strategy"] = "hope";
  const PlanReview bad = review(plan);

  EXPECT_FALSE(bad.passes);
  ASSERT_EQ(bad.violations.size(), 2U);
  EXPECT_TRUE(suggests(bad, "Change /limits/max_changes: "));
  EXPECT_TRUE(suggests(bad, "Change /rollback/strategy: "));
  EXPECT_TRUE(suggests(bad, "1000"));
  EXPECT_TRUE(suggests(bad, "backup_restore"));
}

TEST(PlanCheck, AcceptsThousandChanges) {
  Json plan = sound_plan();
  plan["limits"]["max_changes"] = 1000;

  EXPECT_TRUE(review(plan).passes);
}

TEST(PlanCheck, RejectsCriticalRisk) {
  Json plan = sound_plan();
  plan["limits"]["max_changes"] = 900;
  plan["risk_estimate"]["test_coverage"] = 0;
  plan["context_sufficiency"]["unresolved_symbol_rate"] = 0.2;
  const PlanReview bad = review(plan);

  EXPECT_FALSE(bad.passes);
  EXPECT_TRUE(bad.violations.empty());
  EXPECT_EQ(bad.risk.level, "critical");
  EXPECT_TRUE(suggests(bad, "The risk of 0.90 is critical: split the plan"));
  EXPECT_TRUE(suggests(bad, "Read more of the code: 20 %"));
}

TEST(PlanCheck, NonObjectIsViolation) {
  for (const char* text : {"3", "null", "[]", R"("plan")", "true"}) {
    const PlanReview bad = review(Json::parse(text));
    EXPECT_FALSE(bad.passes) << text;
    EXPECT_FALSE(bad.violations.empty()) << text;
  }
}

TEST(PlanCheck, ErrorNamesInvalidSchema) {
  const auto no_json = review_plan(sound_plan(), {"Mine", "{", {}}, 0.0);
  const auto no_schema =
      review_plan(sound_plan(), {"Mine", R"({"type": 3})", {}}, 0.0);

  EXPECT_TRUE(no_json.error().message().starts_with("The schema of 'Mine'"));
  EXPECT_TRUE(no_schema.error().message().starts_with("The schema of 'Mine'"));
}

TEST(PlanCheck, AcceptsRegisteredTypes) {
  const PlanType type = {"Mine", R"({"required": ["x"]})", {"x"}};

  EXPECT_TRUE(review_plan(Json{{"x", 1}}, type, 0.0)->passes);
  EXPECT_EQ(review_plan(Json{{"y", 1}}, type, 0.0)->suggestions[0],
            "Add the field 'x'.");
}

TEST(PlanCheck, JsonContainsWholeReview) {
  Json plan = sound_plan();
  plan.erase("limits");
  const Json json = to_json(review(plan));

  EXPECT_EQ(json["passes"], false);
  EXPECT_EQ(json["missing_fields"], Json({"limits"}));
  EXPECT_EQ(json["completeness"], 0.8);
  EXPECT_EQ(json["risk"]["assessment"], "medium");
  EXPECT_EQ(json["context"]["recommendation"], "proceed");
  EXPECT_EQ(json["violations"].size(), 1U);
  EXPECT_FALSE(json["suggestions"].empty());
}

TEST(Risk, UsesPessimisticDefaults) {
  const Risk risk = assess_risk(Json::object(), std::nullopt);

  EXPECT_DOUBLE_EQ(risk.scope, 0.2);
  EXPECT_DOUBLE_EQ(risk.test, 1.0);
  EXPECT_DOUBLE_EQ(risk.unknown_symbols, 1.0);
  EXPECT_DOUBLE_EQ(risk.history, 0.5);
  EXPECT_DOUBLE_EQ(risk.total, 0.66);
  EXPECT_EQ(risk.level, "high");
}

TEST(Risk, StaysBetweenZeroAndOne) {
  const Json wild = Json::parse(R"({
    "limits": {"max_changes": 1e300, "max_files": -5},
    "risk_estimate": {"test_coverage": 7},
    "context_sufficiency": {"unresolved_symbol_rate": -1}})");
  const Risk risk = assess_risk(wild, 9.0);

  EXPECT_DOUBLE_EQ(risk.total, 0.3 + 0 + 0 + 0.2);
  EXPECT_DOUBLE_EQ(assess_risk(Json::parse(R"({"limits": "none"})"), 0.0).scope,
                   0.2);
}

TEST(Risk, HasFourLevels) {
  EXPECT_EQ(risk_levels().size(), 4U);
  EXPECT_DOUBLE_EQ(kRiskWeights.scope + kRiskWeights.test +
                       kRiskWeights.unknown_symbols + kRiskWeights.history,
                   1.0);
}

TEST(ContextSufficiency, NeedsResolvedSymbolsAndAKnownCallGraph) {
  const auto recommended = [](double unresolved, double coverage) {
    return context_sufficiency({{"unresolved_symbol_rate", unresolved},
                                {"callgraph_coverage", coverage}})
        .recommendation;
  };

  EXPECT_EQ(recommended(0.04, 0.91), "proceed");
  EXPECT_EQ(recommended(0.05, 0.91), "expand_context");
  EXPECT_EQ(recommended(0.04, 0.9), "expand_context");
  EXPECT_FALSE(context_sufficiency(Json::object()).is_sufficient);
}

}  // namespace
}  // namespace lamarck::thought
