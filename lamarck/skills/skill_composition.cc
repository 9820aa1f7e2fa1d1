#include "lamarck/skills/skill_composition.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::skills {
namespace {

constexpr std::string_view kPrefix = "skill:";

Result<void> check_calls(const SkillDraft& draft, const FindSkill& find,
                         std::vector<std::string>& path) {
  if (path.size() > kMaxSkillDepth) {
    return invalid_argument(
        fmt::format("Skills may call each other at most {} deep: {}.",
                    kMaxSkillDepth, join_text(path, " -> ")));
  }
  for (const SkillStep& step : draft.steps) {
    const auto name = called_skill(step);
    if (!name) continue;
    if (std::find(path.begin(), path.end(), *name) != path.end()) {
      return invalid_argument(
          fmt::format("The skill would call itself: {} -> "
                      "{}.",
                      join_text(path, " -> "), *name));
    }
    const auto called = find(*name);
    if (!called) {
      return Error(ErrorCode::NotFound,
                   fmt::format("There is no skill {}.", in_quotes(*name)));
    }
    path.emplace_back(*name);
    RETURN_IF_ERROR(check_calls(*called, find, path));
    path.pop_back();
  }
  return {};
}

}  // namespace

std::optional<std::string_view> called_skill(const SkillStep& step) {
  const std::string_view tool = step.tool;
  if (!tool.starts_with(kPrefix)) return std::nullopt;
  return tool.substr(kPrefix.size());
}

Result<void> check_composition(const SkillDraft& draft, const FindSkill& find) {
  std::vector<std::string> path = {draft.name};
  return check_calls(draft, find, path);
}

SkillDraft compose_skills(const std::string& name,
                          const std::string& description,
                          const std::vector<SkillDraft>& parts) {
  REQUIRE(parts.size() >= 2,
          "compose_skills: parts must be at least 2, got {}.", parts.size());
  SkillDraft draft;
  draft.name = name;
  draft.description = description;
  for (const SkillDraft& part : parts) {
    SkillStep step{.action = part.name, .tool = "skill:" + part.name};
    for (const auto& [parameter, schema] : part.parameters.items()) {
      std::string own = parameter;
      for (int number = 2;
           draft.parameters.contains(own) && draft.parameters[own] != schema;
           ++number) {
        own = fmt::format("{}_{}", parameter, number);
      }
      draft.parameters[own] = schema;
      step.arguments[parameter] = {{"$param", own}};
    }
    draft.tools_used.push_back(step.tool);
    draft.trigger_keywords.insert(draft.trigger_keywords.end(),
                                  part.trigger_keywords.begin(),
                                  part.trigger_keywords.end());
    draft.steps.push_back(std::move(step));
  }
  if (draft.trigger_keywords.size() > 32) draft.trigger_keywords.resize(32);
  draft.preconditions = {{"required_tools", draft.tools_used},
                         {"description", "The called skills are usable."}};
  draft.expected_outcome = "All of its skills succeed.";
  return draft;
}

}  // namespace lamarck::skills
