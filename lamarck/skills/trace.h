// The record of a finished task: what was asked, which tools were called with
// which results, and how it ended.

#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::skills {

struct ToolCall {
  std::string tool;
  Json arguments = Json::object();
  // The arguments as a plan wrote them, with references to parameters and to
  // the results of earlier calls; see SkillStep. null = not known.
  Json planned;
  Json result;  // A string if the tool returned text that is not JSON.
  bool succeeded = true;
  std::int64_t duration_ms = 0;

  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

// The judgement of REFLECT.
struct Reflection {
  bool success = false;
  std::string summary;
  double reusability = 0;  // 0 to 1.
};

struct Trace {
  std::string session_id;
  std::string request;  // The task in the user's words.
  std::vector<ToolCall> calls;
  std::string answer;
  Reflection reflection;
  std::vector<std::string> skills_used;  // Ids.
  std::int64_t tokens = 0;
  std::int64_t model_calls = 0;
};

Json to_json(const Trace& trace);
Result<Trace> parse_trace(const Json& json);

}  // namespace lamarck::skills
