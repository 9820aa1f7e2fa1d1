#include "lamarck/thought/internal/parallel_state.h"

#include <algorithm>
#include <array>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/amount.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::array<std::string_view, 4> kStrategies = {"race", "best", "vote",
                                                         "bandit"};

Json arm_to_json(const ParallelArm& arm) {
  return {{"branch", arm.branch},     {"rounds", arm.rounds},
          {"failures", arm.failures}, {"request", arm.request},
          {"reserved", arm.reserved}, {"max_tokens", arm.max_tokens},
          {"asked_ms", arm.asked_ms}, {"memory", arm.memory}};
}

Result<ParallelArm> arm_from_json(const Json& json) {
  ParallelArm arm;
  ASSIGN_OR_RETURN(arm.branch, json_field<std::string>(json, "branch"));
  ASSIGN_OR_RETURN(arm.rounds, amount_field(json, "rounds"));
  ASSIGN_OR_RETURN(arm.failures, amount_field(json, "failures"));
  ASSIGN_OR_RETURN(arm.request, json_field<std::string>(json, "request"));
  ASSIGN_OR_RETURN(arm.reserved, amount_field(json, "reserved", kMaxPerEvent));
  ASSIGN_OR_RETURN(arm.max_tokens,
                   json_field<std::int64_t>(json, "max_tokens"));
  ASSIGN_OR_RETURN(arm.asked_ms, amount_field(json, "asked_ms"));
  ASSIGN_OR_RETURN(arm.memory, json_field_or<std::int64_t>(json, "memory", 0));
  return arm;
}

Result<ParallelState> head_from_json(const Json& json) {
  ParallelState state;
  ASSIGN_OR_RETURN(state.id, json_field<std::string>(json, "run"));
  ASSIGN_OR_RETURN(const std::string strategy,
                   json_field<std::string>(json, "strategy"));
  ASSIGN_OR_RETURN(state.strategy, parse_strategy(strategy));
  ASSIGN_OR_RETURN(state.plan_type, json_field<std::string>(json, "plan_type"));
  ASSIGN_OR_RETURN(state.max_rounds,
                   json_field<std::int64_t>(json, "max_rounds"));
  return state;
}

}  // namespace

ParallelArm* ParallelState::arm_of_request(std::string_view request) {
  if (request.empty()) return nullptr;
  const auto found = std::ranges::find(arms, request, &ParallelArm::request);
  return found == arms.end() ? nullptr : &*found;
}

std::size_t ParallelState::index_of(std::string_view branch) const {
  const auto found = std::ranges::find(arms, branch, &ParallelArm::branch);
  return static_cast<std::size_t>(found - arms.begin());
}

std::int64_t ParallelState::reserved() const {
  std::int64_t sum = 0;
  for (const ParallelArm& arm : arms) sum += arm.reserved;
  return sum;
}

std::string_view strategy_name(Strategy strategy) {
  return kStrategies.at(static_cast<std::size_t>(strategy));
}

Result<Strategy> parse_strategy(std::string_view name) {
  const auto* const found = std::ranges::find(kStrategies, name);
  if (found != kStrategies.end()) {
    return static_cast<Strategy>(found - kStrategies.begin());
  }
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("Unknown strategy {}; use race, best, vote or bandit.",
                  in_quotes(name)));
}

std::string to_text(const ParallelState& state) {
  Json arms = Json::array();
  for (const ParallelArm& arm : state.arms) arms.push_back(arm_to_json(arm));
  Json json = {{"run", state.id},
               {"strategy", strategy_name(state.strategy)},
               {"plan_type", state.plan_type},
               {"max_rounds", state.max_rounds},
               {"arms", std::move(arms)}};
  if (state.bandit) json["bandit"] = state.bandit->to_json();
  return dump_json(json);
}

Result<ParallelState> parallel_from_text(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ASSIGN_OR_RETURN(ParallelState state, head_from_json(json));
  ASSIGN_OR_RETURN(const Json arms, json_field<Json>(json, "arms"));
  for (const Json& entry : arms) {
    ASSIGN_OR_RETURN(ParallelArm arm, arm_from_json(entry));
    state.arms.push_back(std::move(arm));
  }
  if (const auto found = json.find("bandit"); found != json.end()) {
    ASSIGN_OR_RETURN(state.bandit, Bandit::from_json(*found));
    if (state.bandit->arm_count() != state.arms.size()) {
      return Error(
          ErrorCode::DataDamaged,
          "The bandit of a parallel run must have one arm for each branch.");
    }
  }
  return state;
}

Result<ParallelState> begun_parallel(const Json& details) {
  ASSIGN_OR_RETURN(ParallelState state, head_from_json(details));
  ASSIGN_OR_RETURN(const Json branches, json_field<Json>(details, "branches"));
  for (const Json& branch : branches) {
    if (!branch.is_string()) {
      return Error(ErrorCode::DataDamaged,
                   "A parallel run names a branch that is not a string.");
    }
    state.arms.push_back({.branch = branch.get<std::string>()});
  }
  if (state.arms.empty()) {
    return Error(ErrorCode::DataDamaged, "A parallel run has no branches.");
  }
  if (state.strategy == Strategy::Bandit) {
    state.bandit.emplace(state.arms.size());
  }
  return state;
}

}  // namespace lamarck::thought::internal
