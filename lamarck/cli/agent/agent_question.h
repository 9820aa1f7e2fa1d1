// Asks the user on a terminal whether a dangerous call may be made.

#pragma once

#include "lamarck/agent/agent_runner.h"
#include "lamarck/cli/agent/line_input.h"
#include "lamarck/cli/command.h"

namespace lamarck::cli {

// Shows the exact call and reads one letter. Empty unless there is a terminal.
// `context` and `input` must outlive the question.
agent::AskApproval make_question(const CommandContext& context,
                                 LineInput& input);

}  // namespace lamarck::cli
