// Runs the steps of a skill as data: binds its arguments and yields the calls,
// without calling anything.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

// A reference inside the arguments of a step; see SkillStep.
struct ArgumentReference {
  enum class Kind : std::uint8_t { Parameter, StepResult, Literal };
  Kind kind = Kind::Parameter;
  std::string parameter;
  std::size_t step = 0;  // Counted from 1.
  std::string path;      // JSON Pointer into the result.
  // If the result is text: what stands before and after the value in it.
  std::string after;
  std::string until;
  Json literal;
};
// nullopt if `json` is plain data; an error if it is a malformed reference.
Result<std::optional<ArgumentReference>> parse_reference(const Json& json);
Json to_json(const ArgumentReference& reference);

// Makes references to the result of step i refer to step places[i - 1].
void renumber_results(Json& arguments, const std::vector<std::size_t>& places);

// Checks the arguments of the skill against its parameters and adds defaults.
// The error names the parameter.
Result<Json> bind_arguments(const SkillDraft& draft, const Json& arguments);

// The arguments of a step, given the bound arguments of the skill and the
// results of all earlier steps.
Result<Json> resolve_step(const SkillStep& step, const Json& bound,
                          const std::vector<Json>& results);

// The calls that the skill makes if its steps return `results`.
Result<std::vector<ToolCall>> replay_skill(const SkillDraft& draft,
                                           const Json& arguments,
                                           const std::vector<Json>& results);

// Arguments with which the skill makes exactly the successful calls of the
// trace; nullopt if there are none.
std::optional<Json> match_trace(const SkillDraft& draft, const Trace& trace);

// Fails if a case of `draft.evals` does not yield its calls.
Result<void> check_evals(const SkillDraft& draft);

// A case of `evals`, and the trace that a case was made from.
Json make_eval(const Trace& trace, const Json& arguments);
Result<Trace> eval_trace(const Json& eval);

}  // namespace lamarck::skills
