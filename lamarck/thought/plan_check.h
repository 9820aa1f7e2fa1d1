// Reviews plans before they are exported: schema, completeness and risk.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/schema/json_schema.h"

namespace lamarck::thought {

// "ExecutionPlan", "DocPlan", or a type registered in the session.
struct PlanType {
  std::string name;
  std::string schema;                        // JSON Schema 2020-12.
  std::vector<std::string> required_fields;  // For the completeness.
};
const std::vector<PlanType>& built_in_plan_types();

struct Completeness {
  double value = 0;  // Share of the required fields that are present.
  std::vector<std::string> missing_fields;
};
Completeness measure_completeness(const Json& plan, const PlanType& type);

// Weights of the risk; they sum to 1.
struct RiskWeights {
  double scope = 0.3;
  double test = 0.3;
  double unknown_symbols = 0.2;
  double history = 0.2;
};
inline constexpr RiskWeights kRiskWeights;
inline constexpr double kRiskyChanges = 500;  // Lines; scope risk 1.
inline constexpr double kRiskyFiles = 50;     // Scope risk 1.
inline constexpr double kMaxUnresolved = 0.05;
inline constexpr double kMinCallgraph = 0.9;

struct RiskLevel {
  std::string_view name;
  double from;  // The lowest risk of this level.
};
std::span<const RiskLevel> risk_levels();

struct Risk {
  double total = 0;
  double scope = 0;
  double test = 0;
  double unknown_symbols = 0;
  double history = 0;
  std::string_view level = "low";  // medium, high, critical at 0.2, 0.5, 0.7.
};
// The risk of an ExecutionPlan. `history` is the failure rate of similar plans;
// nullopt = 0.5.
Risk assess_risk(const Json& plan, std::optional<double> history);
// The risk by the rules of the type. A DocPlan changes one document, so its
// risk is that no rule checks it, and the history; `test` is the former. That
// of a custom type is risk_estimate.total_risk of the plan or, without it, the
// history times 0.8.
Risk assess_risk(const Json& plan, std::string_view plan_type,
                 std::optional<double> history);
inline constexpr double kUncheckedWeight = 0.35;  // Of a DocPlan.
inline constexpr double kCustomWeight = 0.8;

struct ContextSufficiency {
  bool is_sufficient = false;
  double unresolved_symbol_rate = 0;
  double callgraph_coverage = 0;
  std::string_view recommendation = "proceed";  // Or expand_context.
};
// From {"unresolved_symbol_rate", "callgraph_coverage"}.
ContextSufficiency context_sufficiency(const Json& context);

// The result of all checks. Each violation and each missing field yields a
// concrete suggestion for the critique.
struct PlanReview {
  // No violation, complete, and not too risky: the risk of an ExecutionPlan
  // must not be critical, nor that of a DocPlan without validation rules. For
  // custom types the schema alone decides.
  bool passes = false;
  std::vector<schema::Violation> violations;
  Completeness completeness;
  Risk risk;
  std::optional<ContextSufficiency> context;  // If the plan has it.
  std::vector<std::string> suggestions;
};
// Fails if the schema is invalid, or if the plan exceeds the limits of the
// validator.
Result<PlanReview> review_plan(const Json& plan, const PlanType& type,
                               std::optional<double> history);

Json to_json(const PlanReview& review);

}  // namespace lamarck::thought
