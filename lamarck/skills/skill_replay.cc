#include "lamarck/skills/skill_replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/schema/json_schema.h"

namespace lamarck::skills {
namespace {

constexpr std::size_t kMaxArgumentDepth = 64;

Result<ArgumentReference> parse_step_result(const Json& json) {
  ArgumentReference reference;
  reference.kind = ArgumentReference::Kind::StepResult;
  ASSIGN_OR_RETURN(const std::int64_t step,
                   json_field<std::int64_t>(json, "step"));
  if (step < 1 || step > 1'000) {
    return invalid_argument(
        fmt::format("$result.step must be between 1 and 1000, got {}.", step));
  }
  reference.step = static_cast<std::size_t>(step);
  ASSIGN_OR_RETURN(reference.path,
                   json_field_or<std::string>(json, "path", ""));
  ASSIGN_OR_RETURN(reference.after,
                   json_field_or<std::string>(json, "after", ""));
  ASSIGN_OR_RETURN(reference.until,
                   json_field_or<std::string>(json, "until", ""));
  return reference;
}

// The part of a text between `after` and `until`.
std::optional<std::string> text_between(std::string_view text,
                                        const ArgumentReference& reference) {
  const std::size_t found = text.find(reference.after);
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(found + reference.after.size());
  if (!reference.until.empty()) {
    const std::size_t end = rest.find(reference.until);
    if (end == std::string_view::npos) return std::nullopt;
    rest = rest.substr(0, end);
  }
  return std::string(rest);
}

Result<Json> referenced_result(const ArgumentReference& reference,
                               const std::vector<Json>& results) {
  if (reference.step > results.size()) {
    return invalid_argument(fmt::format(
        "A step refers to the result of step {}, which has not run yet.",
        reference.step));
  }
  const Json& result = results[reference.step - 1];
  const auto missing_part = [&] {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("The result of step {} has no {}.", reference.step,
                             in_quotes(reference.path)));
  };
  try {
    const Json::json_pointer pointer(reference.path);
    if (!result.contains(pointer)) return missing_part();
    const Json& part = result.at(pointer);
    if (reference.after.empty() && reference.until.empty()) return part;
    if (!part.is_string()) return missing_part();
    const auto text =
        text_between(part.get_ref<const std::string&>(), reference);
    if (!text) return missing_part();
    return Json(*text);
  } catch (const Json::exception&) {
    return missing_part();
  }
}

Result<Json> resolve(const Json& json, const Json& bound,
                     const std::vector<Json>& results, std::size_t depth) {
  if (depth > kMaxArgumentDepth) {
    return invalid_argument("The arguments of a step are nested too deeply.");
  }
  ASSIGN_OR_RETURN(const auto reference, parse_reference(json));
  if (reference) {
    switch (reference->kind) {
      case ArgumentReference::Kind::Literal:
        return reference->literal;
      case ArgumentReference::Kind::StepResult:
        return referenced_result(*reference, results);
      case ArgumentReference::Kind::Parameter:
        break;
    }
    const auto value = bound.find(reference->parameter);
    if (value == bound.end()) {
      return invalid_argument(
          fmt::format("The parameter {} has no value; give it.",
                      in_quotes(reference->parameter)));
    }
    return *value;
  }
  if (!json.is_structured()) return json;
  Json resolved = json;
  for (auto& item : resolved) {
    ASSIGN_OR_RETURN(item, resolve(Json(item), bound, results, depth + 1));
  }
  return resolved;
}

void renumber(Json& json, const std::vector<std::size_t>& places,
              std::size_t depth) {
  if (!json.is_structured() || depth > kMaxArgumentDepth) return;
  auto reference = parse_reference(json);
  if (!reference) return;
  if (!*reference) {
    for (Json& part : json) renumber(part, places, depth + 1);
    return;
  }
  ArgumentReference& found = **reference;
  if (found.kind == ArgumentReference::Kind::StepResult &&
      found.step <= places.size()) {
    found.step = places[found.step - 1];
    json = to_json(found);
  }
}

// Walks a template and the value it must produce, binding parameters.
class Matching {
 public:
  explicit Matching(const std::vector<Json>& results) : results_(results) {}

  bool matches(const Json& pattern, const Json& value, std::size_t depth = 0) {
    if (depth > kMaxArgumentDepth) return false;
    const auto reference = parse_reference(pattern);
    if (!reference) return false;
    if (*reference) return reference_matches(**reference, value);
    if (pattern.type() != value.type() || pattern.size() != value.size()) {
      return pattern == value && !pattern.is_structured();
    }
    if (pattern.is_array()) {
      for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (!matches(pattern[i], value[i], depth + 1)) return false;
      }
      return true;
    }
    if (pattern.is_object()) {
      for (const auto& [name, part] : pattern.items()) {
        const auto found = value.find(name);
        if (found == value.end() || !matches(part, *found, depth + 1)) {
          return false;
        }
      }
      return true;
    }
    return pattern == value;
  }

  const Json& arguments() const { return arguments_; }

 private:
  bool reference_matches(const ArgumentReference& reference,
                         const Json& value) {
    switch (reference.kind) {
      case ArgumentReference::Kind::Literal:
        return reference.literal == value;
      case ArgumentReference::Kind::StepResult: {
        const auto part = referenced_result(reference, results_);
        return part && *part == value;
      }
      case ArgumentReference::Kind::Parameter:
        break;
    }
    const auto [place, is_new] = arguments_.emplace(reference.parameter, value);
    return is_new || *place == value;
  }

  const std::vector<Json>& results_;
  Json arguments_ = Json::object();
};

}  // namespace

Result<std::optional<ArgumentReference>> parse_reference(const Json& json) {
  std::optional<ArgumentReference> none;
  if (!json.is_object() || json.size() != 1) return none;
  const auto entry = json.begin();
  ArgumentReference reference;
  if (entry.key() == "$literal") {
    reference.kind = ArgumentReference::Kind::Literal;
    reference.literal = *entry;
    return std::optional(std::move(reference));
  }
  if (entry.key() == "$param") {
    if (!entry->is_string()) {
      return invalid_argument("$param must be the name of a parameter.");
    }
    reference.parameter = entry->get<std::string>();
    return std::optional(std::move(reference));
  }
  if (entry.key() == "$result") {
    ASSIGN_OR_RETURN(reference, parse_step_result(*entry));
    return std::optional(std::move(reference));
  }
  return none;
}

Json to_json(const ArgumentReference& reference) {
  switch (reference.kind) {
    case ArgumentReference::Kind::Parameter:
      return {{"$param", reference.parameter}};
    case ArgumentReference::Kind::Literal:
      return {{"$literal", reference.literal}};
    case ArgumentReference::Kind::StepResult:
      break;
  }
  Json part = {{"step", reference.step}, {"path", reference.path}};
  if (!reference.after.empty()) part["after"] = reference.after;
  if (!reference.until.empty()) part["until"] = reference.until;
  return {{"$result", std::move(part)}};
}

void renumber_results(Json& arguments, const std::vector<std::size_t>& places) {
  renumber(arguments, places, 0);
}

Result<Json> bind_arguments(const SkillDraft& draft, const Json& arguments) {
  if (!arguments.is_object()) {
    return invalid_argument("The arguments of a skill must be an object.");
  }
  for (const auto& [name, value] : arguments.items()) {
    if (!draft.parameters.contains(name)) {
      return invalid_argument(fmt::format("The skill {} has no parameter {}.",
                                          in_quotes(draft.name),
                                          in_quotes(name)));
    }
  }
  Json bound = Json::object();
  for (const auto& [name, entry] : draft.parameters.items()) {
    Json schema = entry;
    // The form of the seed: a flag, not JSON Schema's list.
    const bool is_required = schema.value("required", Json(true)) != false;
    schema.erase("required");
    const auto value = arguments.find(name);
    if (value == arguments.end()) {
      if (schema.contains("default")) {
        bound[name] = schema["default"];
      } else if (is_required) {
        return invalid_argument(
            fmt::format("The skill {} needs the parameter {}.",
                        in_quotes(draft.name), in_quotes(name)));
      }
      continue;
    }
    ASSIGN_OR_RETURN(const auto compiled, schema::JsonSchema::compile(schema));
    RETURN_IF_ERROR(
        compiled.check(*value, fmt::format("The parameter '{}'", name)));
    bound[name] = *value;
  }
  return bound;
}

Result<Json> resolve_step(const SkillStep& step, const Json& bound,
                          const std::vector<Json>& results) {
  Json arguments = Json::object();
  for (const auto& [name, value] : step.arguments.items()) {
    ASSIGN_OR_RETURN(arguments[name], resolve(value, bound, results, 0));
  }
  return arguments;
}

Result<std::vector<ToolCall>> replay_skill(const SkillDraft& draft,
                                           const Json& arguments,
                                           const std::vector<Json>& results) {
  ASSIGN_OR_RETURN(const Json bound, bind_arguments(draft, arguments));
  std::vector<ToolCall> calls;
  for (const SkillStep& step : draft.steps) {
    const std::size_t place = calls.size();
    const std::vector<Json> earlier(
        results.begin(), results.begin() + static_cast<std::ptrdiff_t>(std::min(
                                               place, results.size())));
    ToolCall call;
    call.tool = step.tool;
    ASSIGN_OR_RETURN(call.arguments, resolve_step(step, bound, earlier));
    if (place < results.size()) call.result = results[place];
    calls.push_back(std::move(call));
  }
  return calls;
}

std::optional<Json> match_trace(const SkillDraft& draft, const Trace& trace) {
  std::vector<Json> results;
  Matching matching(results);
  std::size_t place = 0;
  for (const ToolCall& call : trace.calls) {
    if (!call.succeeded) continue;
    if (place == draft.steps.size()) return std::nullopt;
    const SkillStep& step = draft.steps[place++];
    if (step.tool != call.tool ||
        step.arguments.size() != call.arguments.size()) {
      return std::nullopt;
    }
    for (const auto& [name, pattern] : step.arguments.items()) {
      const auto value = call.arguments.find(name);
      if (value == call.arguments.end() || !matching.matches(pattern, *value)) {
        return std::nullopt;
      }
    }
    results.push_back(call.result);
  }
  if (place != draft.steps.size()) return std::nullopt;
  if (!bind_arguments(draft, matching.arguments())) return std::nullopt;
  return matching.arguments();
}

Result<void> check_evals(const SkillDraft& draft) {
  std::size_t number = 0;
  for (const Json& eval : draft.evals) {
    ++number;
    ASSIGN_OR_RETURN(const Trace trace, eval_trace(eval));
    std::vector<Json> results;
    for (const ToolCall& call : trace.calls) results.push_back(call.result);
    ASSIGN_OR_RETURN(const Json arguments,
                     json_field_or<Json>(eval, "arguments", Json::object()));
    ASSIGN_OR_RETURN(const auto calls, replay_skill(draft, arguments, results));
    if (calls.size() != trace.calls.size()) {
      return Error(ErrorCode::FailedPrecondition,
                   fmt::format("Case {} must make {} calls, but the skill "
                               "makes {}.",
                               number, trace.calls.size(), calls.size()));
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].tool == trace.calls[i].tool &&
          calls[i].arguments == trace.calls[i].arguments) {
        continue;
      }
      return Error(
          ErrorCode::FailedPrecondition,
          fmt::format("Case {}: call {} must be {} {}, but the skill "
                      "calls {} {}.",
                      number, i + 1, trace.calls[i].tool,
                      one_line(dump_json(trace.calls[i].arguments)),
                      calls[i].tool, one_line(dump_json(calls[i].arguments))));
    }
  }
  return {};
}

Json make_eval(const Trace& trace, const Json& arguments) {
  Json calls = Json::array();
  Json results = Json::array();
  for (const ToolCall& call : trace.calls) {
    if (!call.succeeded) continue;
    calls.push_back({{"tool", call.tool}, {"arguments", call.arguments}});
    if (!call.planned.is_null()) calls.back()["planned"] = call.planned;
    results.push_back(call.result);
  }
  return {{"request", trace.request},
          {"arguments", arguments},
          {"calls", std::move(calls)},
          {"results", std::move(results)}};
}

Result<Trace> eval_trace(const Json& eval) {
  Trace trace;
  ASSIGN_OR_RETURN(trace.request,
                   json_field_or<std::string>(eval, "request", ""));
  ASSIGN_OR_RETURN(const Json calls, json_field<Json>(eval, "calls"));
  ASSIGN_OR_RETURN(const Json results,
                   json_field_or<Json>(eval, "results", Json::array()));
  if (!calls.is_array() || !results.is_array()) {
    return invalid_argument("calls and results of a case must be lists.");
  }
  for (const Json& item : calls) {
    ToolCall call;
    ASSIGN_OR_RETURN(call.tool, json_field<std::string>(item, "tool"));
    ASSIGN_OR_RETURN(call.arguments,
                     json_field_or<Json>(item, "arguments", Json::object()));
    ASSIGN_OR_RETURN(call.planned,
                     json_field_or<Json>(item, "planned", Json()));
    if (trace.calls.size() < results.size()) {
      call.result = results[trace.calls.size()];
    }
    trace.calls.push_back(std::move(call));
  }
  trace.reflection.success = true;
  return trace;
}

}  // namespace lamarck::skills
