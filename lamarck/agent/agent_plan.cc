#include "lamarck/agent/agent_plan.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent {
namespace {

Result<skills::SkillStep> parse_step(const Json& json) {
  skills::SkillStep step;
  ASSIGN_OR_RETURN(step.tool, json_field<std::string>(json, "tool"));
  ASSIGN_OR_RETURN(step.action, json_field_or<std::string>(json, "action", ""));
  ASSIGN_OR_RETURN(step.arguments,
                   json_field_or<Json>(json, "arguments", Json::object()));
  if (!step.arguments.is_object()) {
    return invalid_argument("arguments must be an object, got " +
                            one_line(dump_json(step.arguments)) + ".");
  }
  return step;
}

}  // namespace

Result<AgentPlan> parse_agent_plan(const Json& json) {
  const Json& whole = json.is_array() ? Json{{"steps", json}} : json;
  ASSIGN_OR_RETURN(const Json steps, json_field<Json>(whole, "steps"));
  if (!steps.is_array() || steps.empty() || steps.size() > kMaxPlanSteps) {
    return invalid_argument(fmt::format(
        "A plan must have a list of 1 to {} steps.", kMaxPlanSteps));
  }
  AgentPlan plan;
  for (const Json& one : steps) {
    auto step = parse_step(one);
    if (!step) {
      return step.error().within(
          fmt::format("Step {} of the plan", plan.steps.size() + 1));
    }
    plan.steps.push_back(std::move(*step));
  }
  ASSIGN_OR_RETURN(plan.params,
                   json_field_or<Json>(whole, "params", Json::object()));
  ASSIGN_OR_RETURN(plan.answer,
                   json_field_or<std::string>(whole, "answer", ""));
  ASSIGN_OR_RETURN(plan.reusability,
                   json_field_or<double>(whole, "reusability", 1));
  if (!(plan.reusability >= 0 && plan.reusability <= 1)) {
    return invalid_argument(fmt::format(
        "reusability must be between 0 and 1, got {}.", plan.reusability));
  }
  return plan;
}

Json to_json(const AgentPlan& plan) {
  Json steps = Json::array();
  for (const skills::SkillStep& step : plan.steps) {
    Json one = {{"tool", step.tool}, {"arguments", step.arguments}};
    if (!step.action.empty()) one["action"] = step.action;
    steps.push_back(std::move(one));
  }
  return {{"steps", std::move(steps)},
          {"params", plan.params},
          {"answer", plan.answer},
          {"reusability", plan.reusability}};
}

}  // namespace lamarck::agent
