#include "lamarck/server/internal/thought_prompts.h"

#include <map>
#include <nlohmann/json.hpp>

#include "lamarck/server/internal/thought_resources.h"
#include "lamarck/server/internal/tool_arguments.h"

namespace lamarck::server {
namespace {

using Values = std::map<std::string, std::string>;

std::string find_value(const Values& values, std::string_view name,
                       std::string_view otherwise) {
  const auto found = values.find(std::string(name));
  return std::string(found == values.end() || found->second.empty()
                         ? otherwise
                         : found->second);
}

mcp::Complete user_message(std::string_view description, std::string text) {
  const Json message = {
      {"role", "user"},
      {"content", {{"type", "text"}, {"text", std::move(text)}}}};
  return {dump_json(Json{{"description", description},
                         {"messages", Json::array({message})}})};
}

mcp::Outcome start_session(mcp::CallContext&, const Values& values) {
  return user_message(
      "Start a thought session",
      "Goal: " + find_value(values, "goal", "(ask me for it)") +
          "\nDone when: " +
          find_value(values, "done_when", "(propose criteria first)") +
          "\n\nCall think_session_start with this goal. Write each step of "
          "your reasoning with think_plan_step, in at most 400 characters. "
          "When there is more than one approach, fork them with think_branch, "
          "score them, validate their plans with think_validate_plan and "
          "decide with think_parallel_run. Export only the winner's plan with "
          "think_export_plan, execute it, and report the result with "
          "think_receive_evidence. Follow the next_step of each answer.");
}

mcp::Outcome criticise_plan(const ThoughtTools& tools, const Values& values) {
  const std::string session = find_value(values, "session", "");
  const std::string branch = find_value(values, "branch", "main");
  const Result<std::string> digest = tools.engine.digest(session, branch);
  if (!digest) {
    return mcp::Failure{.code = -32602, .message = digest.error().message()};
  }
  return user_message(
      "Criticise a plan",
      "Here is branch " + branch + " of session " + session + ":\n\n" +
          *digest +
          "\n\nFind its weakest points: what it assumes without evidence, what "
          "it omits, how it could fail, what would be cheaper. "
          "Write each as one think_plan_step with kind critique on that "
          "branch, at most 400 characters each, strongest first; then say "
          "whether the plan should be revised, stopped or validated.");
}

}  // namespace

void add_thought_prompts(const ThoughtTools& tools, mcp::Registry& registry) {
  registry.prompts.push_back(
      {.name = "start_session",
       .title = "Think about a goal",
       .description = "Starts a thought session for a goal",
       .arguments = {{.name = "goal",
                      .description = "The goal",
                      .required = true},
                     {.name = "done_when",
                      .description = "How to tell that the goal is reached"}},
       .render = start_session});
  registry.prompts.push_back(
      {.name = "criticise_plan",
       .title = "Criticise a plan",
       .description = "Finds the weak points of the plan of a branch",
       .arguments = {{.name = "session",
                      .description = "Id of the session",
                      .required = true},
                     {.name = "branch",
                      .description = "Id or name of the branch; default main"}},
       .render = [tools](mcp::CallContext&, const Values& values) {
         return criticise_plan(tools, values);
       }});
  registry.completers.push_back(
      {.of = "criticise_plan",
       .argument = "session",
       .complete = [tools](std::string_view value, const Values&) {
         return sessions_like(tools.journal, value);
       }});
  registry.completers.push_back(
      {.of = "criticise_plan",
       .argument = "branch",
       .complete = [tools](std::string_view value, const Values& known) {
         return branches_like(tools.engine, find_value(known, "session", ""),
                              value);
       }});
}

}  // namespace lamarck::server
