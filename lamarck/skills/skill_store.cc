#include "lamarck/skills/skill_store.h"

#include <array>

#include <nlohmann/json.hpp>

namespace lamarck::skills {
namespace {

constexpr std::array<std::string_view, 4> kStageStatuses = {
    "started", "completed", "failed", "skipped"};
constexpr std::array<std::string_view, 4> kStages = {"extract", "validate",
                                                     "register", "index"};

}  // namespace

std::string_view stage_status_name(StageStatus status) {
  return kStageStatuses.at(static_cast<std::size_t>(status));
}

std::string_view stage_name(Stage stage) {
  return kStages.at(static_cast<std::size_t>(stage));
}

Json to_json(const EvolutionLog& log) {
  return {{"id", log.id},
          {"agent_id", log.agent_id},
          {"session_id", log.session_id},
          {"stage", stage_name(log.stage)},
          {"status", stage_status_name(log.status)},
          {"evolved_skill_id",
           log.evolved_skill_id.empty() ? Json() : Json(log.evolved_skill_id)},
          {"input_data", log.input_data},
          {"output_data", log.output_data},
          {"error_message",
           log.error_message.empty() ? Json() : Json(log.error_message)},
          {"duration_ms", log.duration_ms},
          {"tokens_used", log.tokens_used},
          {"created_at", to_iso8601(log.created_at)}};
}

Json to_json(const Job& job) {
  return {{"id", job.id},
          {"agent_id", job.agent_id},
          {"kind", job.kind},
          {"state", job.state},
          {"message", job.message},
          {"skill_id", job.skill_id.empty() ? Json() : Json(job.skill_id)},
          {"attempts", job.attempts},
          {"created_at", to_iso8601(job.created_at)},
          {"updated_at", to_iso8601(job.updated_at)}};
}

Json to_json(const SkillUse& use) {
  return {{"id", use.id},
          {"skill_id", use.skill_id},
          {"skill_version", use.skill_version},
          {"agent_id", use.agent_id},
          {"session_id", use.session_id},
          {"kind", use.kind},
          {"outcome", use.outcome.empty() ? Json() : Json(use.outcome)},
          {"steps", use.steps},
          {"tokens", use.tokens},
          {"message", use.message},
          {"created_at", to_iso8601(use.created_at)}};
}

}  // namespace lamarck::skills
