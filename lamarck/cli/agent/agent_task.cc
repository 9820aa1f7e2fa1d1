#include "lamarck/cli/agent/agent_task.h"

#include <unistd.h>
#include <fmt/format.h>

#include <optional>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_plan.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/agent/agent_question.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/store/redaction.h"

namespace lamarck::cli {
namespace {

Result<std::optional<agent::AgentPlan>> read_plan(const std::string& file) {
  if (file.empty()) return std::optional<agent::AgentPlan>();
  ASSIGN_OR_RETURN(const std::string text, read_file(file, 10 << 20));
  auto plan = parse_json(text).and_then(
      [](const Json& json) { return agent::parse_agent_plan(json); });
  if (!plan) return plan.error().within(one_line(file));
  return std::optional(std::move(*plan));
}

Result<void> check_run_flags(const AgentRunFlags& flags) {
  if (flags.task.empty() == flags.resume.empty()) {
    return invalid_argument(
        "Either a task or --resume ID is required: `lamarck agent run "
        "\"TASK\"`.");
  }
  if (!flags.resume.empty() && !flags.plan.empty()) {
    return invalid_argument(
        "--resume continues with the plan of the run; leave out --plan.");
  }
  return {};
}

// Prints how the run ended. A task that was not solved is an error.
Result<void> print_outcome(const agent::AgentRun& run,
                           const CommandContext& context) {
  if (context.json) {
    context.out << dump_json(store::redacted_json(agent::to_json(run))) << "\n";
  } else if (!run.answer.empty()) {
    context.out << (context.out_is_terminal ? safe_lines(run.answer)
                                            : run.answer)
                << "\n";
  }
  context.out.flush();
  if (run.reflection && run.reflection->success) return {};
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("The task was not solved; see `lamarck agent show "
                           "{}`.",
                           run.id));
}

}  // namespace

void add_agent_run_flags(CLI::App& app, AgentRunFlags& flags) {
  add_option(app, "TASK", &flags.task, "What the agent should do");
  add_option(app, "--plan", &flags.plan,
             "Follow this plan (JSON) instead of asking a model",
             {.type = "FILE"});
  add_option(app, "--resume", &flags.resume,
             "Continue a run that was interrupted", {.type = "ID"});
  add_agent_work_flags(app, flags.work);
}

Result<void> run_agent_task(const AgentRunFlags& flags,
                            CommandContext& context) {
  RETURN_IF_ERROR(check_run_flags(flags));
  ASSIGN_OR_RETURN(const auto plan, read_plan(flags.plan));
  LineInput input(STDIN_FILENO);
  ASSIGN_OR_RETURN(
      const auto shop,
      AgentWorkshop::open(flags.work, context, make_question(context, input)));
  agent::AgentRunner runner = shop->make_runner(shop->options());
  ASSIGN_OR_RETURN(const agent::AgentRun run,
                   flags.resume.empty()
                       ? runner.run(flags.task, plan, context.cancel)
                       : runner.resume(flags.resume, context.cancel));
  Result<void> outcome = print_outcome(run, context);
  shop->run_jobs();
  return outcome;
}

}  // namespace lamarck::cli
