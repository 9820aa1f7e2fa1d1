#include "lamarck/skills/agent_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::skills {
namespace {

Error field_error(std::string field, std::string message) {
  return {ErrorCode::InvalidArgument,
          std::move(message),
          {{"field", std::move(field)}}};
}

Result<std::int64_t> integer_between(const Json& json, std::string_view field,
                                     std::int64_t otherwise, std::int64_t min,
                                     std::int64_t max) {
  ASSIGN_OR_RETURN(const std::int64_t value,
                   json_field_or<std::int64_t>(json, field, otherwise));
  if (value < min || value > max) {
    return field_error(std::string(field),
                       fmt::format("{} must be between {} and {}, got {}.",
                                   field, min, max, value));
  }
  return value;
}

}  // namespace

Json to_json(const EvolutionConfig& config) {
  return {{"enabled", config.enabled},
          {"auto_approve", config.auto_approve},
          {"min_quality_score", config.min_quality_score},
          {"max_evolve_per_hour", config.max_evolve_per_hour},
          {"cooldown_minutes", config.cooldown_minutes}};
}

Result<EvolutionConfig> parse_evolution_config(const Json& json,
                                               const EvolutionConfig& base) {
  if (!json.is_object()) {
    return invalid_argument("The evolution settings must be an object.");
  }
  for (const auto& [name, value] : json.items()) {
    if (!to_json(base).contains(name)) {
      return field_error(
          name, fmt::format("Unknown setting {}; use enabled, auto_approve, "
                            "min_quality_score, max_evolve_per_hour or "
                            "cooldown_minutes.",
                            name));
    }
  }
  EvolutionConfig config;
  ASSIGN_OR_RETURN(config.enabled,
                   json_field_or<bool>(json, "enabled", base.enabled));
  ASSIGN_OR_RETURN(
      config.auto_approve,
      json_field_or<bool>(json, "auto_approve", base.auto_approve));
  ASSIGN_OR_RETURN(
      config.min_quality_score,
      json_field_or<double>(json, "min_quality_score", base.min_quality_score));
  if (!(config.min_quality_score >= 0 && config.min_quality_score <= 1)) {
    return field_error(
        "min_quality_score",
        fmt::format("min_quality_score must be between 0 and 1, got {}.",
                    config.min_quality_score));
  }
  ASSIGN_OR_RETURN(config.max_evolve_per_hour,
                   integer_between(json, "max_evolve_per_hour",
                                   base.max_evolve_per_hour, 1, 1'000));
  ASSIGN_OR_RETURN(config.cooldown_minutes,
                   integer_between(json, "cooldown_minutes",
                                   base.cooldown_minutes, 0, 1'440));
  return config;
}

Json to_json(const AgentRecord& agent) {
  Json config = agent.config;
  config["evolution"] = to_json(agent.evolution);
  return {{"id", agent.id},
          {"org_id", agent.org_id},
          {"name", agent.name},
          {"instructions", agent.instructions},
          {"allowed", agent.allowed},
          {"config", std::move(config)},
          {"created_at", to_iso8601(agent.created_at)},
          {"updated_at", to_iso8601(agent.updated_at)}};
}

Result<void> check_agent_name(std::string_view name) {
  const bool is_valid = !name.empty() && name.size() <= 64 &&
                        std::ranges::all_of(name, [](char c) {
                          return ascii::is_digit(c) || (c >= 'a' && c <= 'z') ||
                                 c == '-' || c == '_';
                        });
  if (is_valid) return {};
  return field_error("name",
                     "The name of an agent must have 1 to 64 characters of "
                     "a-z, 0-9, '-' and '_', got " +
                         in_quotes(name) + ".");
}

}  // namespace lamarck::skills
