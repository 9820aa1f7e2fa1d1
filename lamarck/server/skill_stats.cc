#include "lamarck/server/skill_stats.h"

#include <utility>
#include <nlohmann/json.hpp>

namespace lamarck::server {

Json stats_json(const skills::SkillStore::Stats& stats) {
  Json top = Json::array();
  for (const skills::Skill& skill : stats.top_skills) {
    const Json rate = skill.use_count == 0
                          ? Json()
                          : Json(static_cast<double>(skill.success_count) /
                                 static_cast<double>(skill.use_count));
    top.push_back({{"id", skill.id},
                   {"name", skill.definition.name},
                   {"use_count", skill.use_count},
                   {"success_rate", rate}});
  }
  return {{"total_evolved", stats.total_evolved},
          {"approved_count", stats.approved_count},
          {"rejected_count", stats.rejected_count},
          {"pending_count", stats.pending_count},
          {"approval_rate", stats.approval_rate},
          {"total_reuse_count", stats.total_reuse_count},
          {"avg_quality_score", stats.avg_quality_score},
          {"top_skills", std::move(top)}};
}

}  // namespace lamarck::server
