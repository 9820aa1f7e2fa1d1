#include "lamarck/cli/agent/agent_question.h"

#include <unistd.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"

namespace lamarck::cli {

agent::AskApproval make_question(const CommandContext& context,
                                 LineInput& input) {
  if (!context.err_is_terminal || isatty(STDIN_FILENO) == 0) return {};
  return [&](const skills::ToolInfo& tool, const Json& arguments) {
    context.err << safe_lines(fmt::format("The agent wants to call {}:\n{}\n",
                                          tool.name, dump_json(arguments, 2)))
                << "Allow it? [o]nce, [a]lways in this run, [n]ever: "
                << std::flush;
    const auto line = input.next(context.cancel);
    const std::string answer = line ? line->value_or("") : "";
    if (answer.starts_with('o')) return agent::Approval::Once;
    return answer.starts_with('a') ? agent::Approval::Always
                                   : agent::Approval::Never;
  };
}

}  // namespace lamarck::cli
