#include "lamarck/agent/agent_plan_check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/skills/skill_composition.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

constexpr std::size_t kMaxCheckedDepth = 64;

// Walks the arguments of one step.
class StepCheck {
 public:
  // `place` counts from 1.
  StepCheck(const AgentPlan& plan, std::size_t place)
      : plan_(plan), place_(place) {}

  Result<void> check(const Json& value, std::size_t depth = 0) {
    if (depth > kMaxCheckedDepth) {
      return invalid_argument("its arguments are nested too deeply.");
    }
    ASSIGN_OR_RETURN(const auto reference, skills::parse_reference(value));
    if (reference) {
      has_references_ = true;
      return check_reference(*reference);
    }
    if (!value.is_structured()) return {};
    for (const Json& part : value) RETURN_IF_ERROR(check(part, depth + 1));
    return {};
  }

  bool has_references() const { return has_references_; }

 private:
  Result<void> check_reference(const skills::ArgumentReference& reference) {
    using Kind = skills::ArgumentReference::Kind;
    if (reference.kind == Kind::Parameter &&
        !plan_.params.contains(reference.parameter)) {
      return invalid_argument(fmt::format("params must have a value for {}.",
                                          in_quotes(reference.parameter)));
    }
    if (reference.kind == Kind::StepResult && reference.step >= place_) {
      return invalid_argument(fmt::format(
          "$result must refer to an earlier step, got {}.", reference.step));
    }
    return {};
  }

  const AgentPlan& plan_;
  std::size_t place_;
  bool has_references_ = false;
};

// References in the steps of a sub-task's plan are to its own steps.
Result<void> check_delegation(const skills::SkillStep& step,
                              const ToolRegistry& tools, StepCheck& check) {
  Json arguments = step.arguments;
  const Json plan = arguments["plan"];
  arguments.erase("plan");
  RETURN_IF_ERROR(check.check(arguments));
  ASSIGN_OR_RETURN(const AgentPlan child, parse_agent_plan(plan));
  RETURN_IF_ERROR(check.check(child.params));
  return check_agent_plan(child, tools);
}

Result<void> check_step(const AgentPlan& plan, std::size_t place,
                        const ToolRegistry& tools) {
  const skills::SkillStep& step = plan.steps[place - 1];
  StepCheck check(plan, place);
  if (step.tool == kDelegateTool && step.arguments.contains("plan")) {
    return check_delegation(step, tools, check);
  }
  RETURN_IF_ERROR(check.check(step.arguments));
  if (skills::called_skill(step)) return {};
  if (tools.find(step.tool) == nullptr || !check.has_references()) {
    RETURN_IF_ERROR(tools.checked_arguments(step.tool, step.arguments));
  }
  return {};
}

}  // namespace

Result<void> check_agent_plan(const AgentPlan& plan,
                              const ToolRegistry& tools) {
  for (std::size_t place = 1; place <= plan.steps.size(); ++place) {
    if (const auto valid = check_step(plan, place, tools); !valid) {
      return invalid_argument(fmt::format("Step {} of the plan: {}", place,
                                          valid.error().message()));
    }
  }
  return {};
}

}  // namespace lamarck::agent
