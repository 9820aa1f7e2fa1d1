// The messages between a planner and a language model.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/agent/tool_registry.h"
#include "lamarck/base/json.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/skills/skill.h"

namespace lamarck::agent {

inline constexpr std::string_view kFinishFunction = "finish";
// The model compares ways to solve the task before it takes one.
inline constexpr std::string_view kCompareFunction = "compare_ways";

struct PromptOptions {
  std::string instructions;  // Of the agent.
  bool uses_json = false;
};
std::string system_prompt(const PromptOptions& options,
                          const std::vector<llm::ChatTool>& functions);

// The functions that the model may call: the tools, the skills, and finish.
struct FunctionOptions {
  // Arguments for skills, by id, that were found in the task.
  Json suggestions = Json::object();
  bool may_delegate = true;
  bool may_compare = false;
};
std::vector<llm::ChatTool> chat_tools(const ToolRegistry& tools,
                                      const std::vector<skills::Skill>& skills,
                                      const FunctionOptions& options);

// The arguments of kCompareFunction.
struct ComparedWays {
  struct Way {
    std::string name;
    std::string plan;
  };
  std::vector<Way> ways;   // 2 to 4, with different names.
  std::size_t chosen = 0;  // Index.
  std::string why;
};
Result<ComparedWays> parse_compared_ways(const Json& arguments);
// The schema of a skill's parameters.
Json skill_schema(const skills::Skill& skill);
// Null if `function` is not a skill.
const skills::Skill* find_skill_function(
    std::string_view function, const std::vector<skills::Skill>& skills);
// The name of the tool behind a function; unknown names are returned as given.
std::string tool_of_function(std::string_view function,
                             const ToolRegistry& tools);

// Messages are stored in the form of the OpenAI protocol.
llm::ChatMessage to_chat_message(const Json& message);
Json reply_message(const llm::ChatReply& reply);
// The result of a call, marked as untrusted.
Json result_message(const std::string& call_id, const Json& outcome);

// For models without tool calling: a message as plain text, the form of the
// answer, and the calls in an answer. `turn` makes the ids of calls unique.
llm::ChatMessage to_plain_message(const Json& message);
llm::ResponseSchema json_protocol_schema();
std::vector<llm::ChatToolCall> parse_json_protocol(std::string_view text,
                                                   std::size_t turn);

}  // namespace lamarck::agent
