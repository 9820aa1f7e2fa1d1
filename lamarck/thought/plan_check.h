// Whether a plan may leave: its schema, its completeness, its risk.

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

// "ExecutionPlan", "DocPlan", or one that was registered.
struct PlanType {
  std::string name;
  std::string schema;                        // JSON Schema 2020-12.
  std::vector<std::string> required_fields;  // Completeness counts these.
};
const std::vector<PlanType>& built_in_plan_types();

struct Completeness {
  double value = 0;  // Share of the required fields that are there.
  std::vector<std::string> missing_fields;
};
Completeness completeness_of(const Json& plan, const PlanType& type);

// What each part counts in the risk.
struct RiskWeights {
  double scope = 0.3;
  double test = 0.3;
  double unknown_symbols = 0.2;
  double history = 0.2;
};
inline constexpr RiskWeights kRiskWeights;
inline constexpr double kRiskyChanges = 500;  // Lines; the full risk of scope.
inline constexpr double kRiskyFiles = 50;     // Likewise.
inline constexpr double kMaxUnresolved = 0.05;
inline constexpr double kMinCallgraph = 0.9;

struct RiskLevel {
  std::string_view name;
  double from;  // The least risk of this level.
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
// `history`: 1 - the success rate of what was like it; nothing = 0.5.
Risk risk_of(const Json& plan, std::optional<double> history);

struct ContextSufficiency {
  bool is_sufficient = false;
  double unresolved_symbol_rate = 0;
  double callgraph_coverage = 0;
  std::string_view recommendation = "proceed";  // Or expand_context.
};
// From {"unresolved_symbol_rate", "callgraph_coverage"}.
ContextSufficiency context_sufficiency(const Json& context);

// All of it, and what to change: each violation and each missing field gives a
// concrete suggestion (the critic's).
struct PlanReview {
  bool passes = false;  // No violation, complete, and the risk not critical.
  std::vector<schema::Violation> violations;
  Completeness completeness;
  Risk risk;
  std::optional<ContextSufficiency> context;  // If the plan tells it.
  std::vector<std::string> suggestions;
};
// The error is about the schema, or a plan beyond its limits of depth and size.
Result<PlanReview> review_plan(const Json& plan, const PlanType& type,
                               std::optional<double> history);

Json to_json(const PlanReview& review);

}  // namespace lamarck::thought
