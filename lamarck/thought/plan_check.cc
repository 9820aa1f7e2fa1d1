#include "lamarck/thought/plan_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/thought/internal/advice.h"
#include "lamarck/thought/internal/project_path.h"

namespace lamarck::thought {
namespace {

// Bounds the validation against a client's schema to about a tenth of a second.
constexpr std::size_t kMaxSteps = 50'000;

struct Example {
  std::string_view field;
  std::string_view value;
};

constexpr std::array kExamples = {
    Example{"dry_run", "true"},
    Example{"rollback", R"({"strategy": "git_revert"})"},
    Example{"limits", R"({"max_changes": 100, "max_files": 10})"},
    Example{"capabilities_required", R"(["edit_files", "run_tests"])"},
    Example{"success_criteria", R"(["all tests pass"])"},
    Example{"target_path", R"("docs/guide.md")"},
    Example{"naming_convention", R"("kebab-case")"},
    Example{"structure_template", R"("guide")"},
    Example{"validation_rules", R"(["has_title", "links_resolve"])"},
};

double share(double value) { return std::clamp(value, 0.0, 1.0); }

// plan[object][name] if it is a number, otherwise `otherwise`.
double number_in(const Json& plan, const char* object, const char* name,
                 double otherwise) {
  if (!plan.is_object()) return otherwise;
  const auto outer = plan.find(object);
  if (outer == plan.end() || !outer->is_object()) return otherwise;
  const auto inner = outer->find(name);
  if (inner == outer->end() || !inner->is_number()) return otherwise;
  return inner->get<double>();
}

std::string_view level_of(double risk) {
  const RiskLevel* level = risk_levels().data();
  for (const RiskLevel& next : risk_levels()) {
    if (risk >= next.from) level = &next;
  }
  return level->name;
}

// Caches the built-in schemas only: clients could fill a cache with theirs.
Result<schema::JsonSchema> compiled(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, schema::JsonSchema> known;
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(text); found != known.end()) {
    return found->second;
  }
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ASSIGN_OR_RETURN(schema::JsonSchema result,
                   schema::JsonSchema::compile(json, {.max_steps = kMaxSteps}));
  const bool is_built_in = std::ranges::any_of(
      built_in_plan_types(),
      [&](const PlanType& type) { return type.schema == text; });
  if (is_built_in) known.emplace(text, result);
  return result;
}

// What a schema says about the values of a field, the best first.
std::vector<Json> values_in(const Json& schema, const std::string& field) {
  std::vector<Json> values;
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->contains(field)) return values;
  const Json& own = (*properties)[field];
  if (!own.is_object()) return values;
  for (const char* keyword : {"const", "default"}) {
    if (own.contains(keyword)) values.push_back(own[keyword]);
  }
  for (const char* keyword : {"examples", "enum"}) {
    if (own.contains(keyword) && own[keyword].is_array() &&
        !own[keyword].empty()) {
      values.push_back(own[keyword][0]);
    }
  }
  return values;
}

// Returns whether the schema accepts the value of this field.
bool is_accepted(const schema::JsonSchema& schema, const std::string& field,
                 const Json& value) {
  const auto found = schema.validate(Json{{field, value}});
  return found && std::ranges::all_of(*found, [](const auto& violation) {
           return violation.instance_path.empty();
         });
}

// An example is given only if the schema accepts it: a custom type may use a
// name of a built-in field for something else.
std::string suggestion_for_field(const std::string& field,
                                 const schema::JsonSchema& schema,
                                 const Json& schema_json) {
  std::vector<Json> values;
  const auto example = std::ranges::find(kExamples, field, &Example::field);
  if (example != kExamples.end()) {
    values.push_back(parse_json(example->value).value());
  }
  std::ranges::move(values_in(schema_json, field), std::back_inserter(values));
  for (const Json& value : values) {
    if (!is_accepted(schema, field, value)) continue;
    const bool is_known = example != kExamples.end() && &value == &values[0];
    return fmt::format(
        "Add the field {}, such as {}.", in_quotes(field),
        is_known ? std::string(example->value) : dump_json(value));
  }
  return fmt::format("Add the field {}.", in_quotes(field));
}

// Missing required fields get their own suggestions.
bool is_about_missing_fields(const schema::Violation& violation,
                             const Completeness& completeness) {
  return violation.instance_path.empty() &&
         violation.schema_path.starts_with("/required") &&
         !completeness.missing_fields.empty();
}

std::string suggestion_for_violation(const schema::Violation& violation) {
  const std::string where = violation.instance_path.empty()
                                ? std::string("the plan itself")
                                : violation.instance_path;
  return fmt::format("Change {}: {}", where, violation.message);
}

std::string suggestion_for_risk(const Risk& risk, std::string_view type) {
  const auto said = [&](std::string_view advice) {
    return fmt::format("The risk of {:.2f} is {}: {}.", risk.total, risk.level,
                       advice);
  };
  if (internal::is_doc_plan(type)) {
    return said(risk.test >= 1 ? "add rules to validation_rules"
                               : "choose an approach that worked before");
  }
  if (type != "ExecutionPlan") {
    return said("choose an approach that worked before");
  }
  struct Part {
    double weight;
    std::string_view advice;
  };
  const std::array<Part, 4> parts = {
      Part{kRiskWeights.scope * risk.scope,
           "split the plan so that limits.max_changes and limits.max_files "
           "are smaller"},
      Part{kRiskWeights.test * risk.test,
           "add tests and say so in risk_estimate.test_coverage"},
      Part{kRiskWeights.unknown_symbols * risk.unknown_symbols,
           "look up unknown symbols until "
           "context_sufficiency.unresolved_symbol_rate is below 0.05"},
      Part{kRiskWeights.history * risk.history,
           "choose an approach that worked before"}};
  const auto largest = std::ranges::max_element(parts, {}, &Part::weight);
  return said(largest->advice);
}

bool is_too_risky(const Risk& risk, std::string_view type) {
  if (risk.level != "critical") return false;
  return type == "ExecutionPlan" ||
         (internal::is_doc_plan(type) && risk.test >= 1);
}

bool is_risky(const Risk& risk) {
  return risk.level == "critical" || risk.level == "high";
}

std::vector<std::string> suggestions_for(const PlanReview& review,
                                         const PlanType& type,
                                         const schema::JsonSchema& schema) {
  std::vector<std::string> result;
  const Json schema_json = parse_json(type.schema).value_or(Json::object());
  for (const std::string& field : review.completeness.missing_fields) {
    result.push_back(suggestion_for_field(field, schema, schema_json));
  }
  for (const schema::Violation& violation : review.violations) {
    if (is_about_missing_fields(violation, review.completeness)) continue;
    result.push_back(suggestion_for_violation(violation));
  }
  if (is_risky(review.risk)) {
    result.push_back(suggestion_for_risk(review.risk, type.name));
  }
  if (review.context && !review.context->is_sufficient) {
    result.push_back(fmt::format(
        "Read more of the code: {:.0f} % of the symbols are unresolved (less "
        "than 5 % is enough) and {:.0f} % of the call graph is known (more "
        "than 90 % is enough).",
        100 * review.context->unresolved_symbol_rate,
        100 * review.context->callgraph_coverage));
  }
  return result;
}

// Checks what the schema of a DocPlan cannot express. The schema itself rejects
// an empty path.
void check_target_path(const Json& plan, PlanReview& review) {
  if (!plan.is_object()) return;
  const auto found = plan.find("target_path");
  if (found == plan.end() || !found->is_string()) return;
  const auto& path = found->get_ref<const std::string&>();
  if (path.empty()) return;
  if (auto problem = internal::path_problem(path)) {
    review.violations.push_back({.instance_path = "/target_path",
                                 .schema_path = "/properties/target_path",
                                 .message = *std::move(problem)});
  }
}

Json to_json(const ContextSufficiency& context) {
  return {{"sufficient", context.is_sufficient},
          {"unresolved_symbol_rate", context.unresolved_symbol_rate},
          {"callgraph_coverage", context.callgraph_coverage},
          {"recommendation", context.recommendation}};
}

Json to_json(const Risk& risk) {
  return {{"total_risk", risk.total},
          {"scope_risk", risk.scope},
          {"test_risk", risk.test},
          {"unknown_symbols_risk", risk.unknown_symbols},
          {"history_risk", risk.history},
          {"assessment", risk.level}};
}

}  // namespace

std::span<const RiskLevel> risk_levels() {
  static constexpr std::array<RiskLevel, 4> kLevels = {
      {{"low", 0}, {"medium", 0.2}, {"high", 0.5}, {"critical", 0.7}}};
  return kLevels;
}

Completeness measure_completeness(const Json& plan, const PlanType& type) {
  Completeness result{.value = 1};
  for (const std::string& field : type.required_fields) {
    const bool is_there =
        plan.is_object() && plan.contains(field) && !plan.at(field).is_null();
    if (!is_there) result.missing_fields.push_back(field);
  }
  if (!type.required_fields.empty()) {
    result.value = 1 - static_cast<double>(result.missing_fields.size()) /
                           static_cast<double>(type.required_fields.size());
  }
  return result;
}

Risk assess_risk(const Json& plan, std::optional<double> history) {
  Risk risk;
  risk.scope = std::max(
      share(number_in(plan, "limits", "max_changes", 100) / kRiskyChanges),
      share(number_in(plan, "limits", "max_files", 10) / kRiskyFiles));
  risk.test = share(1 - number_in(plan, "risk_estimate", "test_coverage", 0));
  risk.unknown_symbols = share(
      number_in(plan, "context_sufficiency", "unresolved_symbol_rate", 0.1) /
      kMaxUnresolved);
  risk.history = share(history.value_or(0.5));
  risk.total = kRiskWeights.scope * risk.scope + kRiskWeights.test * risk.test +
               kRiskWeights.unknown_symbols * risk.unknown_symbols +
               kRiskWeights.history * risk.history;
  risk.level = level_of(risk.total);
  return risk;
}

Risk assess_risk(const Json& plan, std::string_view plan_type,
                 std::optional<double> history) {
  if (plan_type == "ExecutionPlan") return assess_risk(plan, history);
  Risk risk{.history = share(history.value_or(0.5))};
  if (internal::is_doc_plan(plan_type)) {
    const auto rules =
        plan.is_object() ? plan.find("validation_rules") : plan.end();
    const double count = rules != plan.end() && rules->is_array()
                             ? static_cast<double>(rules->size())
                             : 0;
    risk.test = 1 / ((1 + count) * (1 + count));
    risk.total =
        kUncheckedWeight * risk.test + (1 - kUncheckedWeight) * risk.history;
  } else {
    risk.total = share(number_in(plan, "risk_estimate", "total_risk",
                                 kCustomWeight * risk.history));
  }
  risk.level = level_of(risk.total);
  return risk;
}

ContextSufficiency context_sufficiency(const Json& context) {
  const Json outer = {{"context", context}};
  ContextSufficiency result;
  result.unresolved_symbol_rate =
      number_in(outer, "context", "unresolved_symbol_rate", 0);
  result.callgraph_coverage =
      number_in(outer, "context", "callgraph_coverage", 0);
  result.is_sufficient = result.unresolved_symbol_rate < kMaxUnresolved &&
                         result.callgraph_coverage > kMinCallgraph;
  if (!result.is_sufficient) result.recommendation = "expand_context";
  return result;
}

Result<PlanReview> review_plan(const Json& plan, const PlanType& type,
                               std::optional<double> history) {
  const auto schema = compiled(type.schema);
  if (!schema) {
    return schema.error().within(
        fmt::format("The schema of {}", in_quotes(type.name)));
  }
  PlanReview review;
  ASSIGN_OR_RETURN(review.violations, schema->validate(plan));
  if (internal::is_doc_plan(type.name)) check_target_path(plan, review);
  review.completeness = measure_completeness(plan, type);
  review.risk = assess_risk(plan, type.name, history);
  if (plan.is_object() && plan.contains("context_sufficiency")) {
    review.context = context_sufficiency(plan.at("context_sufficiency"));
  }
  review.passes = review.violations.empty() &&
                  review.completeness.missing_fields.empty() &&
                  !is_too_risky(review.risk, type.name);
  review.suggestions = suggestions_for(review, type, *schema);
  return review;
}

Json to_json(const PlanReview& review) {
  Json violations = Json::array();
  for (const schema::Violation& violation : review.violations) {
    violations.push_back({{"instance_path", violation.instance_path},
                          {"schema_path", violation.schema_path},
                          {"message", violation.message}});
  }
  Json json = {{"passes", review.passes},
               {"violations", std::move(violations)},
               {"completeness", review.completeness.value},
               {"missing_fields", review.completeness.missing_fields},
               {"risk", to_json(review.risk)},
               {"suggestions", review.suggestions}};
  if (review.context) json["context"] = to_json(*review.context);
  return json;
}

}  // namespace lamarck::thought
