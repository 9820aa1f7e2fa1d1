#include "lamarck/cli/agent/agent_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/llm/token_usage.h"
#include "lamarck/store/redaction.h"

namespace lamarck::cli {
namespace {

std::string short_json(const Json& json, std::size_t length) {
  return one_line(dump_json(store::redacted_json(json)), length);
}

// file_read {"path":"a.csv"}
std::string call_text(const Json& tool, const Json& arguments) {
  return one_line(tool.get<std::string>()) + " " + short_json(arguments, 80);
}

std::string result_text(const Json& result, bool succeeded) {
  if (succeeded) return short_json(result, 80);
  const Json error = result.value("error", Json::object());
  return one_line(store::redacted(error.value("message", "failed")), 160);
}

std::size_t depth_of(const Json& data) {
  return data.value("depth", std::size_t{0});
}

std::string message_text(const Json& message) {
  std::string text;
  if (message.contains("content") && message["content"].is_string()) {
    text = message["content"];
  }
  for (const Json& call : message.value("tool_calls", Json::array())) {
    const Json function = call.value("function", Json::object());
    text += fmt::format("[{}({})]", function.value("name", ""),
                        function.value("arguments", ""));
  }
  return text;
}

}  // namespace

// A new line, indented by the depth of its run.
std::ostream& AgentTrace::line(const Json& data) {
  return out_ << std::string(2 * depth_of(data), ' ');
}

void AgentTrace::show_plan(const Json& data) {
  for (const Json& group : data["groups"]) {
    const std::string skill = group.value("skill_name", "");
    const Json& steps = group["steps"];
    if (steps.empty()) {
      const Json& choice = group["params"];
      line(data) << fmt::format("Plan: of {} ways, take {}: {}\n",
                                choice.value("ways", 0),
                                in_quotes(choice.value("take", "")),
                                one_line(choice.value("why", ""), 160));
      continue;
    }
    if (!skill.empty()) {
      line(data) << "Plan: use the skill " << in_quotes(skill) << " ("
                 << steps.size() << " steps)\n";
    } else if (steps.size() > 1) {
      line(data) << "Plan: " << steps.size() << " steps\n";
    } else {
      continue;  // One call; the line of the call says it all.
    }
    std::size_t number = 0;
    for (const Json& step : steps) {
      const std::string action = step.value("action", "");
      line(data) << fmt::format("  {}. {}{}\n", ++number,
                                one_line(step["tool"].get<std::string>()),
                                action.empty() ? "" : ": " + one_line(action));
    }
  }
}

void AgentTrace::show_call_end(const Json& data) {
  const bool succeeded = data["succeeded"];
  std::string& call = calls_[depth_of(data)];
  line(data) << fmt::format(
      "{} {}  {}  {}\n", succeeded ? "ok    " : "failed",
      call.empty() ? data["tool"].get<std::string>() : call,
      to_readable(std::chrono::milliseconds(data.value("ms", 0))),
      result_text(data["result"], succeeded));
  call.clear();
}

void AgentTrace::show_offer(const Json& data) {
  line(data) << (data["skills"].empty()
                     ? "Skills: none fits; " +
                           one_line(data.value("reason", ""))
                     : fmt::format("Skills in view: {}",
                                   one_line(data.value("names", ""), 200)))
             << "\n";
}

void AgentTrace::show_learning(const Json& data) {
  const std::string state = data.value("state", "");
  if (state == "queued") {
    line(data) << "Learning from this run in the background.\n";
  }
  if (state == "skipped") {
    line(data) << "Nothing learned: "
               << one_line(data["message"].get<std::string>(), 200) << "\n";
  }
}

void AgentTrace::show(std::string_view type, const Json& data) {
  if (type == "plan_made") show_plan(data);
  if (type == "call_started") {
    calls_[depth_of(data)] = call_text(data["tool"], data["arguments"]);
  }
  if (type == "task_delegated") {
    const Json& arguments = data["arguments"];
    const std::string agent = arguments.value("agent", "");
    calls_[depth_of(data)] = "delegate to " + one_line(agent);
    line(data) << "Delegate to " << one_line(agent) << ": "
               << one_line(arguments.value("task", ""), 160) << "\n";
  }
  if (type == "skill_entered") {
    const Json& called = data["called"];
    line(data) << fmt::format("Use the skill {} ({} steps)\n",
                              in_quotes(called.value("skill_name", "")),
                              called["steps"].size());
  }
  if (type == "call_finished") show_call_end(data);
  if (type == "step_refused") {
    line(data) << "refused " << one_line(data["tool"].get<std::string>())
               << ": " << one_line(data["message"].get<std::string>(), 200)
               << "\n";
  }
  if (type == "skills_offered") show_offer(data);
  if (type == "agent_reflected") {
    line(data) << (data["success"].get<bool>() ? "Done: " : "Failed: ")
               << one_line(data["summary"].get<std::string>(), 300) << "\n";
  }
  if (type == "agent_learned") show_learning(data);
  out_.flush();
}

std::string agent_list_text(const std::vector<skills::AgentRecord>& agents) {
  if (agents.empty()) {
    return "No agents yet; create one with `lamarck agent create NAME`.\n";
  }
  std::size_t width = 0;
  for (const auto& agent : agents) width = std::max(width, agent.name.size());
  std::string text;
  for (const skills::AgentRecord& agent : agents) {
    text += fmt::format("{:<{}}  evolution {}{}\n", agent.name, width,
                        agent.evolution.enabled ? "on" : "off",
                        agent.allowed.empty()
                            ? ""
                            : "  allows " + join_text(agent.allowed, ", "));
  }
  return text;
}

std::string agent_text(const skills::AgentRecord& agent,
                       const std::vector<store::Run>& runs) {
  const skills::EvolutionConfig& evolution = agent.evolution;
  std::string text = fmt::format(
      "Agent {}\n  instructions  {}\n  allows        {}\n  evolution     {}, "
      "{}\n  quality       at least {}\n  evolutions    at most {} per hour, "
      "{} min apart\n",
      agent.name,
      agent.instructions.empty() ? "none" : one_line(agent.instructions, 200),
      agent.allowed.empty() ? "nothing dangerous"
                            : join_text(agent.allowed, ", "),
      evolution.enabled ? "on" : "off",
      evolution.auto_approve ? "good skills are approved automatically"
                             : "skills wait for review",
      evolution.min_quality_score, evolution.max_evolve_per_hour,
      evolution.cooldown_minutes);
  if (!runs.empty()) text += "Last runs of all agents:\n";
  for (const store::Run& run : runs) {
    text += fmt::format("  {}  {:<7}  {}\n", run.id, run.state,
                        one_line(run.title, 60));
  }
  return text;
}

std::string agent_run_text(const agent::AgentRun& run) {
  std::string text =
      fmt::format("Run {}\n  task   {}\n  agent  {}\n  state  {}\n", run.id,
                  one_line(run.task, 200), run.agent_name,
                  agent::agent_state_name(run.state));
  if (!run.parent.empty()) {
    text += fmt::format("  for    {} (depth {})\n", run.parent, run.depth);
  }
  std::size_t number = 0;
  for (const agent::CallRecord& record : run.calls) {
    text += fmt::format("  {}. {} {}  {}\n", ++number,
                        !record.is_finished     ? "open  "
                        : record.call.succeeded ? "ok    "
                                                : "failed",
                        call_text(record.call.tool, record.call.arguments),
                        record.is_finished ? result_text(record.call.result,
                                                         record.call.succeeded)
                                           : "may have been executed");
    if (!record.child_run.empty()) {
      text += "     by " + record.child_run + "\n";
    }
  }
  if (run.reflection) {
    text +=
        fmt::format("  {}: {}\n", run.reflection->success ? "done" : "failed",
                    one_line(run.reflection->summary, 300));
  }
  if (run.model_calls > 0) {
    text += fmt::format("  {} calls of the model, {} tokens\n", run.model_calls,
                        run.tokens);
  }
  return text;
}

Json agent_context_json(const agent::AgentRun& run) {
  Json messages = Json::array();
  std::int64_t total = 0;
  for (const Json& message : run.messages) {
    const std::int64_t tokens = llm::estimated_tokens(dump_json(message));
    total += tokens;
    messages.push_back(
        {{"tokens", tokens}, {"message", store::redacted_json(message)}});
  }
  return {{"messages", std::move(messages)}, {"estimated_tokens", total}};
}

std::string agent_context_text(const agent::AgentRun& run) {
  if (run.messages.empty()) return "No model was called in this run.\n";
  std::string text;
  std::int64_t total = 0;
  for (const Json& message : run.messages) {
    const std::int64_t tokens = llm::estimated_tokens(dump_json(message));
    total += tokens;
    text +=
        fmt::format("--- {} (about {} tokens)\n{}\n", message.value("role", ""),
                    tokens, safe_lines(store::redacted(message_text(message))));
  }
  return text + fmt::format("--- about {} tokens in all\n", total);
}

}  // namespace lamarck::cli
