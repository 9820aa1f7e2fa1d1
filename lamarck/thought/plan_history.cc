#include "lamarck/thought/plan_history.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/thought/plan_check.h"

namespace lamarck::thought {
namespace {

constexpr double kPartWeight = 0.6;
constexpr double kScopeWeight = 0.4;
constexpr double kUnknownSimilarity = 0.5;

// Adds the strings of a list, or of the member `member` of its objects.
void add_parts(const Json& plan, const char* list, const char* member,
               std::string_view kind, std::set<std::string>& parts) {
  const auto found = plan.find(list);
  if (found == plan.end() || !found->is_array()) return;
  for (const Json& entry : *found) {
    const Json* text = &entry;
    if (entry.is_object()) {
      const auto inner = entry.find(member);
      if (inner == entry.end()) continue;
      text = &*inner;
    } else if (std::string_view(list) == "steps") {
      continue;  // A step that is a text names no tool.
    }
    if (text->is_string()) {
      parts.insert(std::string(kind) + " " + text->get<std::string>());
    }
  }
}

double share_of_common(const std::set<std::string>& a,
                       const std::set<std::string>& b) {
  if (a.empty() && b.empty()) return 1;
  std::vector<std::string> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  const auto shared = static_cast<double>(common.size());
  return shared / (static_cast<double>(a.size() + b.size()) - shared);
}

// In whole days, so that the rate of a plan does not change within a session.
double age_weight(Clock::WallTime then, Clock::WallTime now) {
  using Days = std::chrono::duration<std::int64_t, std::ratio<86'400>>;
  const auto age = std::chrono::duration_cast<Days>(now - then).count();
  const auto half =
      std::chrono::duration_cast<Days>(PlanHistory::kHalfLife).count();
  return std::exp2(-static_cast<double>(std::max<std::int64_t>(0, age)) /
                   static_cast<double>(half));
}

Result<PlanOutcome> outcome_from_json(const Json& json) {
  PlanOutcome outcome;
  ASSIGN_OR_RETURN(const Json traits, json_field<Json>(json, "traits"));
  ASSIGN_OR_RETURN(outcome.traits, traits_from_json(traits));
  ASSIGN_OR_RETURN(outcome.success, json_field<bool>(json, "success"));
  ASSIGN_OR_RETURN(const std::int64_t time,
                   json_field<std::int64_t>(json, "time_us"));
  outcome.time = Clock::WallTime(std::chrono::microseconds(time));
  return outcome;
}

}  // namespace

PlanTraits traits_of(std::string_view plan_type, const Json& plan) {
  PlanTraits traits{.plan_type = std::string(plan_type)};
  if (!plan.is_object()) return traits;
  add_parts(plan, "capabilities_required", "name", "capability", traits.parts);
  add_parts(plan, "tools", "name", "tool", traits.parts);
  add_parts(plan, "steps", "tool", "tool", traits.parts);
  const auto path = plan.find("target_path");
  if (path != plan.end() && path->is_string()) {
    const auto& text = path->get_ref<const std::string&>();
    const std::size_t end = text.rfind('/');
    traits.parts.insert("folder " + text.substr(0, end == text.npos ? 0 : end));
  }
  traits.scope = assess_risk(plan, std::nullopt).scope;
  return traits;
}

double similarity(const PlanTraits& a, const PlanTraits& b) {
  if (a.plan_type != b.plan_type) return 0;
  if (!a.is_known || !b.is_known) return kUnknownSimilarity;
  return kPartWeight * share_of_common(a.parts, b.parts) +
         kScopeWeight * (1 - std::abs(a.scope - b.scope));
}

void PlanHistory::add(PlanOutcome outcome) {
  outcomes_.push_back(std::move(outcome));
  if (outcomes_.size() > kMaxOutcomes) outcomes_.pop_front();
}

std::optional<double> PlanHistory::success_rate(const PlanTraits& traits,
                                                Clock::WallTime now) const {
  double weights = 0;
  double successes = 0;
  for (const PlanOutcome& outcome : outcomes_) {
    // Squared, so that many unlike plans do not outweigh a few alike ones.
    const double alike = similarity(traits, outcome.traits);
    const double weight = alike * alike * age_weight(outcome.time, now);
    weights += weight;
    if (outcome.success) successes += weight;
  }
  if (weights == 0) return std::nullopt;
  return (successes + kPriorOutcomes / 2) / (weights + kPriorOutcomes);
}

Json PlanHistory::to_json() const {
  Json list = Json::array();
  for (const PlanOutcome& outcome : outcomes_) {
    list.push_back({{"traits", thought::to_json(outcome.traits)},
                    {"success", outcome.success},
                    {"time_us", outcome.time.time_since_epoch().count()}});
  }
  return list;
}

Result<PlanHistory> PlanHistory::from_json(const Json& json) {
  PlanHistory history;
  if (!json.is_array()) {
    return Error(ErrorCode::DataDamaged, "The plan history must be an array.");
  }
  for (const Json& entry : json) {
    ASSIGN_OR_RETURN(PlanOutcome outcome, outcome_from_json(entry));
    history.add(std::move(outcome));
  }
  return history;
}

Result<std::optional<double>> given_success_rate(const Json& context) {
  const auto found =
      context.is_object() ? context.find("similar_operations") : context.end();
  if (found == context.end() || found->empty()) return std::optional<double>();
  double successes = 0;
  for (const Json& operation : *found) {
    const bool is_valid = operation.is_object() &&
                          operation.contains("success") &&
                          operation["success"].is_boolean();
    if (!is_valid) {
      return Error(ErrorCode::InvalidArgument,
                   "Every entry of context.similar_operations must be an "
                   "object with `success` true or false.");
    }
    if (operation["success"].get<bool>()) ++successes;
  }
  return std::optional<double>(successes / static_cast<double>(found->size()));
}

Json to_json(const PlanTraits& traits) {
  return {{"plan_type", traits.plan_type},
          {"parts", traits.parts},
          {"scope", traits.scope},
          {"known", traits.is_known}};
}

Result<PlanTraits> traits_from_json(const Json& json) {
  PlanTraits traits;
  ASSIGN_OR_RETURN(traits.plan_type,
                   json_field<std::string>(json, "plan_type"));
  ASSIGN_OR_RETURN(traits.scope, json_field<double>(json, "scope"));
  ASSIGN_OR_RETURN(traits.is_known, json_field<bool>(json, "known"));
  ASSIGN_OR_RETURN(const Json parts, json_field<Json>(json, "parts"));
  for (const Json& part : parts) {
    if (part.is_string()) traits.parts.insert(part.get<std::string>());
  }
  return traits;
}

}  // namespace lamarck::thought
