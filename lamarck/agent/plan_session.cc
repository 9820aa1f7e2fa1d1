#include "lamarck/agent/plan_session.h"

#include <algorithm>
#include <set>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck::agent {
namespace {

const thought::Caller kAgentCaller{.node = "agent"};

Json make_execution_plan(const AgentRun& run,
                         const std::vector<StepGroup>& groups,
                         const ToolRegistry& tools) {
  Json steps = Json::array();
  std::set<std::string> needed;
  int changes = 0;
  for (const StepGroup& group : groups) {
    for (const skills::SkillStep& step : group.steps) {
      steps.push_back({{"tool", step.tool}, {"arguments", step.arguments}});
      const Tool* tool = tools.find(step.tool);
      if (tool == nullptr) continue;
      for (const skills::CapabilityEntry& entry : skills::capabilities()) {
        if (tool->info.capabilities.has(entry.capability)) {
          needed.emplace(entry.name);
        }
      }
      changes +=
          tool->info.capabilities.has(skills::Capability::Writes) ||
                  tool->info.capabilities.has(skills::Capability::Deletes)
              ? 1
              : 0;
    }
  }
  return {{"dry_run", false},
          {"rollback", {{"strategy", "none"}}},
          {"limits", {{"max_changes", changes}, {"max_files", changes}}},
          {"capabilities_required", needed},
          {"success_criteria", {truncate_characters(run.task, 200)}},
          {"steps", std::move(steps)}};
}

std::string plan_text(const std::vector<StepGroup>& groups,
                      std::string_view text) {
  std::string summary(text);
  for (const StepGroup& group : groups) {
    if (group.steps.empty()) continue;
    summary += summary.empty() ? "" : " ";
    summary += group.skill_id.empty()
                   ? "Call " + group.steps.front().tool + "."
                   : "Use the skill " + in_quotes(group.skill_name) + ".";
  }
  return truncate_characters(summary, thought::kMaxContent);
}

}  // namespace

std::optional<std::string> open_plan_session(thought::ThoughtEngine& thoughts,
                                             const AgentRun& run) {
  const auto answer = thoughts.start_session(
      {.goal = truncate_characters(run.task, thought::kMaxContent)},
      kAgentCaller);
  if (!answer) return std::nullopt;
  const auto json = parse_json(*answer);
  if (!json) return std::nullopt;
  for (const char* name : {"session_id", "session", "id"}) {
    if (json->contains(name) && (*json)[name].is_string()) {
      return (*json)[name].get<std::string>();
    }
  }
  return std::nullopt;
}

void note_plan(thought::ThoughtEngine* thoughts, const AgentRun& run,
               const std::vector<StepGroup>& groups, std::string_view text,
               const ToolRegistry& tools) {
  const bool has_steps = std::ranges::any_of(
      groups, [](const StepGroup& group) { return !group.steps.empty(); });
  if (thoughts == nullptr || run.session_id.empty() || !has_steps) return;
  static_cast<void>(thoughts->add_step(
      {.session = run.session_id, .content = plan_text(groups, text)},
      kAgentCaller));
  static_cast<void>(thoughts->validate_plan(
      {.session = run.session_id,
       .plan = dump_json(make_execution_plan(run, groups, tools))},
      kAgentCaller));
  static_cast<void>(
      thoughts->export_plan(run.session_id, "main", kAgentCaller));
}

void note_ways(thought::ThoughtEngine* thoughts, const AgentRun& run,
               const ComparedWays& compared) {
  if (thoughts == nullptr || run.session_id.empty()) return;
  const auto cut = [](std::string_view text) {
    return truncate_characters(std::string(text), thought::kMaxContent);
  };
  thought::BranchFork fork{.session = run.session_id};
  for (const ComparedWays::Way& way : compared.ways) {
    fork.children.push_back(
        {.name = truncate_characters(one_line(way.name), 60),
         .content = cut(way.plan.empty() ? way.name : way.plan)});
  }
  if (!thoughts->fork(fork, kAgentCaller)) return;
  for (std::size_t i = 0; i < fork.children.size(); ++i) {
    const std::string& name = fork.children[i].name;
    if (i == compared.chosen) {
      static_cast<void>(thoughts->merge(
          {.session = run.session_id,
           .from = {name},
           .content = cut("Take " + name + ". " + compared.why)},
          kAgentCaller));
    } else {
      static_cast<void>(
          thoughts->stop_branch({.session = run.session_id,
                                 .branch = name,
                                 .reason = cut("Not taken. " + compared.why)},
                                kAgentCaller));
    }
  }
}

void close_plan_session(thought::ThoughtEngine* thoughts, const AgentRun& run,
                        const skills::Reflection& reflection) {
  if (thoughts == nullptr || run.session_id.empty()) return;
  static_cast<void>(thoughts->receive_evidence(
      {.session = run.session_id,
       .branch = "main",
       .execution_id = run.id,
       .success = reflection.success,
       .summary =
           truncate_characters(reflection.summary, thought::kMaxContent)},
      kAgentCaller));
  static_cast<void>(thoughts->control(run.session_id,
                                      reflection.success
                                          ? thought::SessionAction::Complete
                                          : thought::SessionAction::Fail,
                                      "", kAgentCaller));
}

}  // namespace lamarck::agent
