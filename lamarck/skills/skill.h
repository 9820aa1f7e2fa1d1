// A skill: steps that solved a task before, with parameters for the parts that
// differ from task to task.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::skills {

// One call of a tool. In `arguments` a value is a constant,
//   {"$param": "city"}                      the parameter of that name, or
//   {"$result": {"step": 1, "path": "/id"}} a part (JSON Pointer) of the result
//                                           of an earlier step.
// An object with the member "$literal" stands for that member's value, so that
// data which looks like a reference stays data.
struct SkillStep {
  std::string action;  // What the step does, in a few words.
  std::string tool;    // "skill:NAME" runs another skill.
  Json arguments = Json::object();

  friend bool operator==(const SkillStep&, const SkillStep&) = default;
};

// What extraction yields, before it is validated and registered.
struct SkillDraft {
  std::string name;         // Short; begins with a verb.
  std::string description;  // One sentence.
  std::vector<std::string> trigger_keywords;
  std::vector<SkillStep> steps;
  std::vector<std::string> tools_used;
  // Name -> {"type", "description", "required", ...}, a JSON Schema each.
  Json parameters = Json::object();
  // {"required_tools": [...], "description": "..."}.
  Json preconditions = Json::object();
  std::string expected_outcome;
  // Cases it must reproduce: [{"request", "arguments", "results", "calls":
  // [{"tool", "arguments"}]}]. `results` are those of the recorded calls.
  Json evals = Json::array();
  double quality_score = 0;      // 0 to 1.
  double reusability_score = 0;  // 0 to 1.

  friend bool operator==(const SkillDraft&, const SkillDraft&) = default;
};

enum class SkillStatus : std::uint8_t {
  PendingReview,
  Approved,
  Rejected,
  AutoApproved,
  Deprecated,
};
// "pending_review" and so on.
std::string_view skill_status_name(SkillStatus status);
Result<SkillStatus> parse_skill_status(std::string_view name);

// A row of evolved_skills.
struct Skill {
  std::string id;
  std::string org_id;
  std::string agent_id;    // The agent that learned it.
  std::string session_id;  // The run that it was learned from.
  SkillDraft definition;
  SkillStatus status = SkillStatus::PendingReview;
  std::int64_t version = 1;
  bool is_shared = false;    // Offered to all agents of the organization.
  bool is_disabled = false;  // Failed three times in a row; awaits review.
  bool is_cleanup_candidate = false;  // Unused for 30 days.
  bool is_promoted = false;           // Also a row of `skills`.

  std::int64_t use_count = 0;
  std::int64_t success_count = 0;
  std::int64_t consecutive_failures = 0;
  std::optional<Clock::WallTime> last_used_at;

  std::string reviewed_by;
  std::optional<Clock::WallTime> reviewed_at;
  std::string review_comment;
  Clock::WallTime created_at{};
  Clock::WallTime updated_at{};

  // Approved by a person or automatically, and not disabled.
  bool is_usable() const;
};

// The forms of the HTTP interface, files and --json.
Json to_json(const SkillDraft& draft);
Json to_json(const Skill& skill);
// The error names the field. Steps may have the seed's form {"order", "action",
// "tool", "params_template"} or ours.
Result<SkillDraft> parse_skill_draft(const Json& json);

}  // namespace lamarck::skills
