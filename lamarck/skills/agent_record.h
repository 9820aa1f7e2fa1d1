// An agent of an organization and how it may evolve skills: a row of agents.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::skills {

// agents.config.evolution.
struct EvolutionConfig {
  bool enabled = false;
  bool auto_approve = false;
  double min_quality_score = 0.6;        // 0 to 1.
  std::int64_t max_evolve_per_hour = 5;  // 1 to 1,000.
  std::int64_t cooldown_minutes = 10;    // 0 to 1,440.

  friend bool operator==(const EvolutionConfig&,
                         const EvolutionConfig&) = default;
};
Json to_json(const EvolutionConfig& config);
// Fields that are absent keep their value in `base`. The error names the field
// and its range.
Result<EvolutionConfig> parse_evolution_config(const Json& json,
                                               const EvolutionConfig& base);

struct AgentRecord {
  std::string id;
  std::string org_id;
  std::string name;  // Unique in the organization.
  std::string instructions;
  // Dangerous capabilities and tools that it may use without asking.
  std::vector<std::string> allowed;
  EvolutionConfig evolution;
  Json config = Json::object();  // Further settings, such as its model.
  Clock::WallTime created_at{};
  Clock::WallTime updated_at{};
};
Json to_json(const AgentRecord& agent);

// Fails unless the name has 1 to 64 characters of a-z, 0-9, '-' and '_'.
Result<void> check_agent_name(std::string_view name);

}  // namespace lamarck::skills
