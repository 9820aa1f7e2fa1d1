#include "lamarck/skills/skill_deduplication.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/skills/skill_replay.h"
#include "lamarck/skills/trace_generalization.h"

namespace lamarck::skills {
namespace {

constexpr std::size_t kMaxEvals = 8;

bool has_same_tools(const SkillDraft& one, const SkillDraft& other) {
  return std::equal(
      one.steps.begin(), one.steps.end(), other.steps.begin(),
      other.steps.end(),
      [](const SkillStep& a, const SkillStep& b) { return a.tool == b.tool; });
}

bool covers(const SkillDraft& skill, const std::vector<Trace>& traces) {
  return std::all_of(traces.begin(), traces.end(), [&](const Trace& trace) {
    return match_trace(skill, effective_trace(trace)).has_value();
  });
}

// The traces of the existing skill together with the new ones.
std::optional<SkillDraft> generalized(const SkillDraft& existing,
                                      const std::vector<Trace>& traces) {
  std::vector<Trace> all;
  for (const Json& eval : existing.evals) {
    const Result<Trace> trace = eval_trace(eval);
    if (trace && all.size() < kMaxEvals) all.push_back(*trace);
  }
  if (all.empty()) return std::nullopt;
  all.insert(all.end(), traces.begin(), traces.end());
  Result<SkillDraft> merged = generalize_traces(all);
  if (!merged || !check_evals(*merged)) return std::nullopt;
  // People know the skill by its name.
  merged->name = existing.name;
  merged->description = existing.description;
  merged->trigger_keywords = existing.trigger_keywords;
  while (merged->evals.size() > kMaxEvals) merged->evals.erase(0);
  return std::move(*merged);
}

}  // namespace

Novelty judge_novelty(const SkillDraft& draft, const std::vector<Trace>& traces,
                      const std::vector<SimilarSkill>& similar) {
  Novelty novelty;
  novelty.reason = "No skill is similar.";
  for (const auto& [skill, similarity] : similar) {
    const std::string which =
        fmt::format("{} ({}, similarity {:.2f})",
                    in_quotes(skill.definition.name), skill.id, similarity);
    if (!has_same_tools(skill.definition, draft)) {
      novelty.reason =
          fmt::format("Similar to {}, but it uses other tools.", which);
      continue;
    }
    if (covers(skill.definition, traces)) {
      return {.kind = Novelty::Kind::Covered,
              .reason = fmt::format("The skill {} covers it.", which),
              .skill_id = skill.id};
    }
    if (skill.status == SkillStatus::Rejected ||
        skill.status == SkillStatus::Deprecated) {
      continue;
    }
    if (auto merged = generalized(skill.definition, traces)) {
      return {.kind = Novelty::Kind::Merge,
              .reason = fmt::format("Generalizes the skill {}.", which),
              .skill_id = skill.id,
              .merged = std::move(*merged)};
    }
    novelty.reason = fmt::format(
        "Similar to {}, but its arguments cannot be aligned.", which);
  }
  return novelty;
}

}  // namespace lamarck::skills
