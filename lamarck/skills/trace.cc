#include "lamarck/skills/trace.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"

namespace lamarck::skills {
namespace {

Result<ToolCall> parse_tool_call(const Json& json) {
  ToolCall call;
  ASSIGN_OR_RETURN(call.tool, json_field<std::string>(json, "tool"));
  if (call.tool.empty()) {
    return invalid_argument("tool must not be empty.");
  }
  ASSIGN_OR_RETURN(call.arguments,
                   json_field_or<Json>(json, "arguments", Json::object()));
  if (!call.arguments.is_object()) {
    return invalid_argument("arguments must be an object.");
  }
  ASSIGN_OR_RETURN(call.planned, json_field_or<Json>(json, "planned", Json()));
  if (!call.planned.is_null() && !call.planned.is_object()) {
    return invalid_argument("planned must be an object.");
  }
  ASSIGN_OR_RETURN(call.result, json_field_or<Json>(json, "result", Json()));
  ASSIGN_OR_RETURN(call.succeeded,
                   json_field_or<bool>(json, "succeeded", true));
  ASSIGN_OR_RETURN(call.duration_ms,
                   json_field_or<std::int64_t>(json, "duration_ms", 0));
  return call;
}

Result<Reflection> parse_reflection(const Json& json) {
  Reflection reflection;
  ASSIGN_OR_RETURN(reflection.success,
                   json_field_or<bool>(json, "success", false));
  ASSIGN_OR_RETURN(reflection.summary,
                   json_field_or<std::string>(json, "summary", ""));
  ASSIGN_OR_RETURN(reflection.reusability,
                   json_field_or<double>(json, "reusability", 0));
  if (!(reflection.reusability >= 0 && reflection.reusability <= 1)) {
    return invalid_argument(
        fmt::format("reflection.reusability must be between 0 and 1, got {}.",
                    reflection.reusability));
  }
  return reflection;
}

}  // namespace

Json to_json(const Trace& trace) {
  Json calls = Json::array();
  for (const ToolCall& call : trace.calls) {
    calls.push_back({{"tool", call.tool},
                     {"arguments", call.arguments},
                     {"result", call.result},
                     {"succeeded", call.succeeded},
                     {"duration_ms", call.duration_ms}});
    if (!call.planned.is_null()) calls.back()["planned"] = call.planned;
  }
  return {{"session_id", trace.session_id},
          {"request", trace.request},
          {"calls", std::move(calls)},
          {"answer", trace.answer},
          {"reflection",
           {{"success", trace.reflection.success},
            {"summary", trace.reflection.summary},
            {"reusability", trace.reflection.reusability}}},
          {"skills_used", trace.skills_used},
          {"tokens", trace.tokens},
          {"model_calls", trace.model_calls}};
}

Result<Trace> parse_trace(const Json& json) {
  if (!json.is_object()) {
    return invalid_argument("A trace must be a JSON object.");
  }
  Trace trace;
  ASSIGN_OR_RETURN(trace.session_id,
                   json_field_or<std::string>(json, "session_id", ""));
  ASSIGN_OR_RETURN(trace.request, json_field<std::string>(json, "request"));
  ASSIGN_OR_RETURN(const Json calls,
                   json_field_or<Json>(json, "calls", Json::array()));
  if (!calls.is_array()) return invalid_argument("calls must be a list.");
  for (const Json& item : calls) {
    Result<ToolCall> call = parse_tool_call(item);
    if (!call) {
      return call.error().within(fmt::format("calls[{}]", trace.calls.size()));
    }
    trace.calls.push_back(std::move(*call));
  }
  ASSIGN_OR_RETURN(trace.answer,
                   json_field_or<std::string>(json, "answer", ""));
  ASSIGN_OR_RETURN(const Json reflection,
                   json_field_or<Json>(json, "reflection", Json::object()));
  ASSIGN_OR_RETURN(trace.reflection, parse_reflection(reflection));
  ASSIGN_OR_RETURN(const Json used,
                   json_field_or<Json>(json, "skills_used", Json::array()));
  if (!used.is_array()) return invalid_argument("skills_used must be a list.");
  for (const Json& id : used) {
    if (!id.is_string()) {
      return invalid_argument("skills_used must contain only ids.");
    }
    trace.skills_used.push_back(id.get<std::string>());
  }
  ASSIGN_OR_RETURN(trace.tokens,
                   json_field_or<std::int64_t>(json, "tokens", 0));
  ASSIGN_OR_RETURN(trace.model_calls,
                   json_field_or<std::int64_t>(json, "model_calls", 0));
  return trace;
}

}  // namespace lamarck::skills
