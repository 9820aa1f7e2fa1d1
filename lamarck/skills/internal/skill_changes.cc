#include "lamarck/skills/internal/skill_changes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/skills/internal/job_rows.h"
#include "lamarck/skills/internal/ledger_rows.h"
#include "lamarck/skills/internal/skill_rows.h"
#include "lamarck/skills/internal/webhook_rows.h"

namespace lamarck::skills::internal {
namespace {

// The rules of decay.
constexpr std::int64_t kMinUsesToJudge = 5;
constexpr double kMinSuccessRate = 0.5;
constexpr std::int64_t kMaxConsecutiveFailures = 3;
constexpr std::chrono::hours kMaxUnused{30 * 24};

Result<void> add_skill_event(SkillSql& sql, const Skill& skill,
                             std::string_view type, std::string_view reason) {
  return insert_event(
      sql, {.org_id = skill.org_id,
            .type = fmt::format("evolution.{}", type),
            .payload = {{"skill_id", skill.id},
                        {"agent_id", skill.agent_id},
                        {"name", skill.definition.name},
                        {"status", skill_status_name(skill.status)},
                        {"version", skill.version},
                        {"quality_score", skill.definition.quality_score},
                        {"reason", reason}}});
}

// Disables after three failures in a row and deprecates what fails more often
// than it works; a review reverses both.
Result<Skill> apply_decay(SkillSql& sql, const Skill& before) {
  Skill skill = before;
  ASSIGN_OR_RETURN(const DecayCounts counts, decay_counts(sql, skill.id));
  const bool fails_often =
      counts.uses >= kMinUsesToJudge &&
      static_cast<double>(counts.successes) <
          kMinSuccessRate * static_cast<double>(counts.uses);
  if (fails_often && skill.status != SkillStatus::Deprecated) {
    skill.status = SkillStatus::Deprecated;
    RETURN_IF_ERROR(save_skill_state(sql, before, skill));
    RETURN_IF_ERROR(
        add_skill_event(sql, skill, "skill_deprecated",
                        fmt::format("{} of {} uses succeeded.",
                                    counts.successes, counts.uses)));
    return skill;
  }
  if (skill.consecutive_failures >= kMaxConsecutiveFailures &&
      !skill.is_disabled) {
    skill.is_disabled = true;
    RETURN_IF_ERROR(save_skill_state(sql, before, skill));
    RETURN_IF_ERROR(
        add_skill_event(sql, skill, "skill_disabled",
                        fmt::format("It failed {} times in a row; review it.",
                                    skill.consecutive_failures)));
  }
  return skill;
}

}  // namespace

Result<Skill> register_in(SkillSql& sql,
                          const SkillStore::Registration& registration) {
  ASSIGN_OR_RETURN(const Skill skill, registration.replaces.empty()
                                          ? insert_skill(sql, registration)
                                          : replace_skill(sql, registration));
  for (EvolutionLog log : registration.logs) {
    log.evolved_skill_id = skill.id;
    RETURN_IF_ERROR(insert_log(sql, skill.org_id, std::move(log)));
  }
  if (!registration.job_id.empty()) {
    RETURN_IF_ERROR(
        end_job(sql, {.id = registration.job_id,
                      .state = "done",
                      .message = registration.replaces.empty()
                                     ? std::string()
                                     : "Merged into an existing skill.",
                      .skill_id = skill.id}));
  }
  RETURN_IF_ERROR(add_skill_event(
      sql, skill, "skill_created",
      registration.replaces.empty() ? "New skill." : "New version."));
  if (skill.status == SkillStatus::AutoApproved) {
    RETURN_IF_ERROR(add_skill_event(sql, skill, "skill_approved",
                                    "Approved automatically."));
  }
  return skill;
}

Result<Skill> review_in(SkillSql& sql, std::string_view org,
                        std::string_view id, bool approves,
                        std::string_view reviewer, std::string_view comment) {
  ASSIGN_OR_RETURN(const Skill before, find_skill(sql, org, id));
  Skill skill = before;
  skill.status = approves ? SkillStatus::Approved : SkillStatus::Rejected;
  skill.is_disabled = false;
  skill.is_cleanup_candidate = false;
  skill.consecutive_failures = 0;
  skill.reviewed_by = reviewer;
  skill.reviewed_at = sql.now;
  skill.review_comment = comment;
  RETURN_IF_ERROR(save_skill_state(sql, before, skill));
  RETURN_IF_ERROR(restart_decay(sql, skill.id));
  RETURN_IF_ERROR(add_skill_event(
      sql, skill, approves ? "skill_approved" : "skill_rejected", comment));
  return find_skill(sql, org, id);
}

Result<Skill> deprecate_in(SkillSql& sql, std::string_view org,
                           std::string_view id, std::string_view reason) {
  ASSIGN_OR_RETURN(const Skill before, find_skill(sql, org, id));
  if (before.status == SkillStatus::Deprecated) return before;
  Skill skill = before;
  skill.status = SkillStatus::Deprecated;
  RETURN_IF_ERROR(save_skill_state(sql, before, skill));
  RETURN_IF_ERROR(add_skill_event(sql, skill, "skill_deprecated", reason));
  return find_skill(sql, org, id);
}

Result<Skill> promote_in(SkillSql& sql, std::string_view org,
                         std::string_view id, std::string_view by) {
  ASSIGN_OR_RETURN(const Skill before, find_skill(sql, org, id));
  if (!before.is_usable()) {
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("Only an approved skill can be promoted; this one "
                    "is {}. Approve it first.",
                    before.is_disabled ? "disabled"
                                       : skill_status_name(before.status)));
  }
  if (before.is_promoted) {
    return Error(ErrorCode::AlreadyExists, "The skill is already promoted.");
  }
  Skill skill = before;
  skill.is_promoted = true;
  RETURN_IF_ERROR(insert_promoted(sql, skill, by));
  RETURN_IF_ERROR(save_skill_state(sql, before, skill));
  RETURN_IF_ERROR(add_skill_event(sql, skill, "skill_promoted", ""));
  return find_skill(sql, org, id);
}

Result<Skill> share_in(SkillSql& sql, std::string_view org, std::string_view id,
                       bool is_shared) {
  ASSIGN_OR_RETURN(const Skill before, find_skill(sql, org, id));
  Skill skill = before;
  skill.is_shared = is_shared;
  RETURN_IF_ERROR(save_skill_state(sql, before, skill));
  return find_skill(sql, org, id);
}

Result<Skill> report_in(SkillSql& sql, std::string_view org,
                        const SkillUse& use) {
  ASSIGN_OR_RETURN(const SkillUse known, find_use(sql, org, use.id));
  RETURN_IF_ERROR(end_use(sql, use));
  const bool success = use.outcome == "success";
  ASSIGN_OR_RETURN(const Skill before, find_skill(sql, org, known.skill_id));
  Skill skill = before;
  ++skill.use_count;
  skill.success_count += success ? 1 : 0;
  skill.consecutive_failures = success ? 0 : skill.consecutive_failures + 1;
  skill.is_cleanup_candidate = false;
  skill.last_used_at = sql.now;
  RETURN_IF_ERROR(save_skill_state(sql, before, skill));
  if (!success && !use.message.empty()) {
    RETURN_IF_ERROR(note_pitfall(sql, skill.id, use.message));
  }
  RETURN_IF_ERROR(apply_decay(sql, skill));
  return find_skill(sql, org, skill.id);
}

Result<std::size_t> mark_unused_in(SkillSql& sql, std::string_view org) {
  ASSIGN_OR_RETURN(const std::vector<Skill> skills,
                   unused_skills(sql, org, sql.now - kMaxUnused));
  for (const Skill& before : skills) {
    Skill skill = before;
    skill.is_cleanup_candidate = true;
    RETURN_IF_ERROR(save_skill_state(sql, before, skill));
    RETURN_IF_ERROR(add_skill_event(sql, skill, "skill_unused",
                                    "It was not used for 30 days."));
  }
  return skills.size();
}

}  // namespace lamarck::skills::internal
