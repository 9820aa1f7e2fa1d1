#include "lamarck/cli/skills/skills_views.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kShownArgument = 60;

// "<city>" for a parameter, "result 1/id" for a part of a result.
std::string skill_argument_text(const Json& value) {
  if (value.is_object() && value.size() == 1) {
    const std::string& key = value.begin().key();
    const Json& inner = value.begin().value();
    if (key == "$param" && inner.is_string()) {
      return "<" + one_line(inner.get<std::string>(), kShownArgument) + ">";
    }
    if (key == "$result" && inner.is_object()) {
      return fmt::format("result {}{}", dump_json(inner.value("step", Json())),
                         one_line(inner.value("path", ""), kShownArgument));
    }
    if (key == "$literal") return one_line(dump_json(inner), kShownArgument);
  }
  return one_line(dump_json(value), kShownArgument);
}

std::string skill_step_text(const skills::SkillStep& step) {
  std::string arguments;
  for (const auto& [name, value] : step.arguments.items()) {
    arguments +=
        fmt::format("{}{} = {}", arguments.empty() ? "" : ", ",
                    one_line(name, kShownArgument), skill_argument_text(value));
  }
  return fmt::format("{}({})", one_line(step.tool, kShownArgument), arguments);
}

std::string success_percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{} %", (100 * part + whole / 2) / whole);
}

std::string skill_status_text(const skills::Skill& skill) {
  std::string text(skills::skill_status_name(skill.status));
  if (skill.is_disabled) text += ", disabled after three failures";
  if (skill.is_shared) text += ", shared";
  if (skill.is_promoted) text += ", promoted";
  if (skill.is_cleanup_candidate) text += ", unused for 30 days";
  return text;
}

std::string skill_use_text(const skills::Skill& skill) {
  if (skill.use_count == 0) return "not used yet";
  std::string text =
      fmt::format("{} times, {} of them successful ({})", skill.use_count,
                  skill.success_count,
                  success_percent(skill.success_count, skill.use_count));
  if (skill.last_used_at) text += ", last " + to_iso8601(*skill.last_used_at);
  return text;
}

std::string skill_lift_text(const skills::SkillLift& lift) {
  if (lift.with_count == 0 || lift.without_count == 0) {
    return fmt::format("not measured yet ({} tasks with it, {} without)",
                       lift.with_count, lift.without_count);
  }
  return fmt::format(
      "{:.0f} % success in {} tasks with it, {:.0f} % in {} without; {:.1f} "
      "steps instead of {:.1f}, {:.0f} tokens instead of {:.0f}",
      100 * lift.with_success, lift.with_count, 100 * lift.without_success,
      lift.without_count, lift.with_steps, lift.without_steps, lift.with_tokens,
      lift.without_tokens);
}

std::string skill_parameters_text(const Json& parameters) {
  std::string text;
  for (const auto& [name, schema] : parameters.items()) {
    const bool is_object = schema.is_object();
    const std::string type = is_object && schema.contains("type")
                                 ? dump_json(schema["type"])
                                 : "any";
    const Json about = is_object ? schema.value("description", Json()) : Json();
    text += fmt::format("  {}: {}{}\n", one_line(name, kShownArgument),
                        join_text(split_text(type, '"'), ""),
                        about.is_string()
                            ? ", " + one_line(about.get<std::string>(), 200)
                            : "");
  }
  return text;
}

}  // namespace

std::string skill_list_text(const skills::SkillPage& page) {
  if (page.skills.empty()) return "No skills.\n";
  std::string text;
  for (const skills::Skill& skill : page.skills) {
    text +=
        fmt::format("{}  {:<14}  {:>4} uses  {:>5}  {}\n", skill.id,
                    skills::skill_status_name(skill.status), skill.use_count,
                    success_percent(skill.success_count, skill.use_count),
                    one_line(skill.definition.name));
  }
  if (!page.next_cursor.empty()) {
    text += fmt::format("More: --cursor {}\n", page.next_cursor);
  }
  return text;
}

std::string skill_text(const skills::Skill& skill,
                       const skills::SkillLift& lift) {
  const skills::SkillDraft& draft = skill.definition;
  std::string text = fmt::format(
      "{}\n{}\n\nID        {} (version {})\nStatus    {}\nQuality   {:.2f}, "
      "reusability {:.2f}\nUsed      {}\nLift      {}\n",
      one_line(draft.name, 200), one_line(draft.description, 1000), skill.id,
      skill.version, skill_status_text(skill), draft.quality_score,
      draft.reusability_score, skill_use_text(skill), skill_lift_text(lift));
  if (!skill.review_comment.empty()) {
    text +=
        fmt::format("Review    {} ({})\n", one_line(skill.review_comment, 1000),
                    one_line(skill.reviewed_by));
  }
  if (!draft.trigger_keywords.empty()) {
    text += "Keywords  " +
            one_line(join_text(draft.trigger_keywords, ", "), 500) + "\n";
  }
  if (!draft.parameters.empty()) {
    text += "\nParameters\n" + skill_parameters_text(draft.parameters);
  }
  text += "\nSteps\n";
  std::size_t order = 0;
  for (const skills::SkillStep& step : draft.steps) {
    text += fmt::format("  {}. {}\n", ++order, skill_step_text(step));
    if (!step.action.empty()) {
      text += fmt::format("     {}\n", one_line(step.action, 200));
    }
  }
  if (!draft.expected_outcome.empty()) {
    text += "\nOutcome   " + one_line(draft.expected_outcome, 1000) + "\n";
  }
  return text;
}

std::string matches_text(const skills::SkillMatches& found) {
  if (found.matches.empty()) {
    return "No skill fits: " + one_line(found.reason, 500) + "\n";
  }
  std::string text;
  for (const skills::SkillMatch& match : found.matches) {
    text += fmt::format("{:.2f}  {}  {}\n      {}\n", match.score,
                        match.skill.id, one_line(match.skill.definition.name),
                        one_line(match.skill.definition.description, 200));
    if (!match.suggested_arguments.empty()) {
      text += fmt::format("      {}\n",
                          one_line(dump_json(match.suggested_arguments), 200));
    }
  }
  return text;
}

std::string stats_text(const skills::SkillStore::Stats& stats) {
  std::string text = fmt::format(
      "Skills    {} ({} approved, {} rejected, {} pending)\nApproved  {:.0f} "
      "%\nUses      {}\nQuality   {:.2f} on average\n",
      stats.total_evolved, stats.approved_count, stats.rejected_count,
      stats.pending_count, 100 * stats.approval_rate, stats.total_reuse_count,
      stats.avg_quality_score);
  for (const skills::Skill& skill : stats.top_skills) {
    text += fmt::format("  {:>4} uses  {:>5}  {}\n", skill.use_count,
                        success_percent(skill.success_count, skill.use_count),
                        one_line(skill.definition.name));
  }
  return text;
}

std::string history_text(const std::vector<skills::Skill>& versions,
                         const std::vector<skills::SkillUse>& uses) {
  std::string text;
  for (const skills::Skill& version : versions) {
    text += fmt::format("Version {}  {}  {}\n", version.version,
                        to_iso8601(version.updated_at),
                        one_line(version.definition.description, 200));
  }
  for (const skills::SkillUse& use : uses) {
    text += fmt::format(
        "{}  {} in version {}{}{}\n", to_iso8601(use.created_at), use.kind,
        use.skill_version, use.outcome.empty() ? "" : ": " + use.outcome,
        use.message.empty() ? "" : ", " + one_line(use.message, 200));
  }
  return text;
}

}  // namespace lamarck::cli
