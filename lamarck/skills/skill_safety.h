// What a skill may contain and do, whoever wrote it: a model, a rule, a file or
// a request over the network.

#pragma once

#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/skills/agent_record.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/tool_info.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

// Checks sizes, names, references and parameter schemas; refuses hidden
// characters, secrets, personal data in constants, paths that leave their
// folder, and text that gives orders to a model. The error names the field.
Result<void> check_draft(const SkillDraft& draft);

// Fails with PermissionDenied if a step needs a dangerous capability or tool
// that is not in `agent.allowed` ("*" allows all), or passes a parameter or
// result as code to a tool that executes. Without `find_tool`, or for a tool
// that it does not know, capabilities are guessed from the name.
Result<void> check_capabilities(const SkillDraft& draft,
                                const AgentRecord& agent,
                                const FindTool& find_tool);

// Fails if a text that a reader would take for an instruction repeats text of a
// tool's result that the user did not write.
Result<void> check_untainted(const SkillDraft& draft,
                             const std::vector<Trace>& traces);

// A tool that nobody described: reads if its name says so, otherwise dangerous.
ToolInfo guess_tool(std::string_view name);

// The characters that are invisible or reorder text.
bool has_hidden_characters(std::string_view text);
// Telephone, card and account numbers; e-mail addresses are secrets.
bool has_personal_data(std::string_view text);

}  // namespace lamarck::skills
