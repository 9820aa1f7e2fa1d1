// Permissions for dangerous calls: the question to a person, and the answer.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::agent {

enum class Approval : std::uint8_t {
  Once,
  Always,  // In this run.
  Never,
  Later,  // Nobody can answer now: the run waits for AgentRunner::answer.
};
// Once, Always or Never.
Result<Approval> parse_approval(std::string_view name);
std::string_view approval_name(Approval approval);

// The exact call that a run waits to make.
struct PermissionQuestion {
  std::string tool;
  Json arguments;
  std::vector<std::string> needs;  // The dangerous capabilities.
  std::string run;                 // The sub-task that asks; "" = this run.
};
Json to_json(const PermissionQuestion& question);
Result<PermissionQuestion> parse_permission_question(const Json& json);

struct PermissionAnswer {
  PermissionQuestion question;
  Approval approval = Approval::Never;
  std::string comment;  // For the agent; may be empty.
  std::string by;       // Who answered.
};
Json to_json(const PermissionAnswer& answer);

}  // namespace lamarck::agent
