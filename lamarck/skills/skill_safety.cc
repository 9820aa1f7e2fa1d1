#include "lamarck/skills/skill_safety.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/request_text.h"
#include "lamarck/skills/internal/text_checks.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::skills {
namespace {

// What a tool does with its string, so that data would become code.
constexpr std::array<std::string_view, 12> kCodeArguments = {
    "args", "argv",   "cmd",   "code", "command", "expression",
    "eval", "script", "shell", "sql",  "source",  "program"};

struct ToolVerb {
  std::string_view verb;
  Capability capability;
};
constexpr std::array<ToolVerb, 52> kToolVerbs = {{
    {"analyze", Capability::Reads},   {"average", Capability::Reads},
    {"calculate", Capability::Reads}, {"check", Capability::Reads},
    {"compare", Capability::Reads},   {"compute", Capability::Reads},
    {"count", Capability::Reads},     {"describe", Capability::Reads},
    {"evaluate", Capability::Reads},  {"filter", Capability::Reads},
    {"find", Capability::Reads},      {"get", Capability::Reads},
    {"glob", Capability::Reads},      {"grep", Capability::Reads},
    {"head", Capability::Reads},      {"list", Capability::Reads},
    {"lookup", Capability::Reads},    {"query", Capability::Reads},
    {"read", Capability::Reads},      {"search", Capability::Reads},
    {"show", Capability::Reads},      {"stat", Capability::Reads},
    {"summarize", Capability::Reads}, {"think", Capability::Reads},
    {"validate", Capability::Reads},  {"view", Capability::Reads},
    {"append", Capability::Writes},   {"create", Capability::Writes},
    {"edit", Capability::Writes},     {"save", Capability::Writes},
    {"update", Capability::Writes},   {"write", Capability::Writes},
    {"fetch", Capability::Network},   {"download", Capability::Network},
    {"http", Capability::Network},    {"upload", Capability::Network},
    {"web", Capability::Network},     {"cancel", Capability::Deletes},
    {"clear", Capability::Deletes},   {"delete", Capability::Deletes},
    {"drop", Capability::Deletes},    {"purge", Capability::Deletes},
    {"remove", Capability::Deletes},  {"truncate", Capability::Deletes},
    {"email", Capability::Sends},     {"mail", Capability::Sends},
    {"notify", Capability::Sends},    {"publish", Capability::Sends},
    {"send", Capability::Sends},      {"bash", Capability::Executes},
    {"python", Capability::Executes}, {"run", Capability::Executes},
}};

bool is_allowed(const AgentRecord& agent, std::string_view name) {
  return std::find(agent.allowed.begin(), agent.allowed.end(), name) !=
             agent.allowed.end() ||
         std::find(agent.allowed.begin(), agent.allowed.end(), "*") !=
             agent.allowed.end();
}

bool contains_reference(const Json& json) {
  const auto reference = parse_reference(json);
  if (reference && *reference) {
    return (*reference)->kind != ArgumentReference::Kind::Literal;
  }
  if (!json.is_structured()) return false;
  return std::any_of(json.begin(), json.end(), contains_reference);
}

Result<void> check_no_code_from_data(const SkillStep& step) {
  for (const auto& [name, value] : step.arguments.items()) {
    const bool is_code = std::find(kCodeArguments.begin(), kCodeArguments.end(),
                                   name) != kCodeArguments.end();
    if (is_code && contains_reference(value)) {
      return Error(
          ErrorCode::PermissionDenied,
          fmt::format("The argument {} of {} is executed, so it must be a "
                      "constant, not a parameter or a result.",
                      name, step.tool));
    }
  }
  return {};
}

Result<void> check_step_allowed(const SkillStep& step, const AgentRecord& agent,
                                const ToolInfo& tool) {
  if (tool.capabilities.has(Capability::Executes)) {
    RETURN_IF_ERROR(check_no_code_from_data(step));
  }
  if (is_allowed(agent, step.tool)) return {};
  for (const CapabilityEntry& entry : capabilities()) {
    if (!tool.capabilities.has(entry.capability) || !entry.is_dangerous ||
        is_allowed(agent, entry.name)) {
      continue;
    }
    return Error(
        ErrorCode::PermissionDenied,
        fmt::format("The step {} {}, which the agent {} is not allowed; add "
                    "'{}' or '{}' to its allowed list.",
                    in_quotes(step.tool), entry.name, agent.name, entry.name,
                    step.tool),
        {{"tool", step.tool}, {"capability", std::string(entry.name)}});
  }
  return {};
}

}  // namespace

ToolInfo guess_tool(std::string_view name) {
  ToolInfo tool;
  tool.name = name;
  // "server__read_file" and "mcp.read_file" are read_file.
  const std::string words = internal::spaced_words(name);
  bool is_known = false;
  for (const std::string_view word : split_text(words, ' ')) {
    for (const ToolVerb& entry : kToolVerbs) {
      if (entry.verb != word) continue;
      tool.capabilities.add(entry.capability);
      is_known = true;
    }
  }
  if (!is_known) tool.capabilities.add(Capability::Executes);
  return tool;
}

Result<void> check_capabilities(const SkillDraft& draft,
                                const AgentRecord& agent,
                                const FindTool& find_tool) {
  for (const SkillStep& step : draft.steps) {
    if (step.tool.starts_with("skill:")) continue;  // Checked when it was made.
    std::optional<ToolInfo> tool;
    if (find_tool) tool = find_tool(step.tool);
    RETURN_IF_ERROR(
        check_step_allowed(step, agent, tool ? *tool : guess_tool(step.tool)));
  }
  return {};
}

Result<void> check_untainted(const SkillDraft& draft,
                             const std::vector<Trace>& traces) {
  std::string trusted;
  std::vector<std::string> untrusted;
  for (const Trace& trace : traces) {
    trusted += trace.request + "\n";
    for (const ToolCall& call : trace.calls) {
      internal::collect_texts(call.result, untrusted);
    }
  }
  for (const auto& [field, text] : internal::instruction_texts(draft)) {
    for (const std::string& source : untrusted) {
      const auto copied = internal::shared_words(text, source, trusted);
      if (!copied) continue;
      return Error(ErrorCode::PermissionDenied,
                   fmt::format("{} repeats text of a tool's result, which must "
                               "not become an instruction: {}.",
                               field, in_quotes(*copied)));
    }
  }
  return {};
}

bool has_hidden_characters(std::string_view text) {
  return internal::find_hidden_character(text).has_value();
}

bool has_personal_data(std::string_view text) {
  return internal::find_personal_data(text);
}

}  // namespace lamarck::skills
