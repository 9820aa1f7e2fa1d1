#include "lamarck/cli/agent/agent_chat.h"

#include <unistd.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/agent/agent_question.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/store/redaction.h"

namespace lamarck::cli {
namespace {

constexpr std::string_view kChatHelp =
    "Write what the agent should do; each line is one request.\n"
    "  /usage  steps and tokens so far\n"
    "  /help   this text\n"
    "  /exit   ends the conversation (as Ctrl-D does)\n";

class Chat {
 public:
  Chat(AgentWorkshop& shop, CommandContext& context, LineInput& input)
      : shop_(shop),
        context_(context),
        input_(input),
        is_terminal_(context.err_is_terminal && isatty(STDIN_FILENO) != 0) {}

  // Continues after the run `id`, which is finished first if necessary.
  Result<void> resume(const std::string& id) {
    ASSIGN_OR_RETURN(const auto events, shop_.journal().events(id));
    ASSIGN_OR_RETURN(agent::AgentRun run, agent::fold_agent_run(id, events));
    if (run.state != agent::AgentState::End) {
      agent::AgentRunner runner = shop_.make_runner(options());
      ASSIGN_OR_RETURN(run, runner.resume(id, context_.cancel));
      print(run);
    }
    remember(run);
    return {};
  }

  Result<void> run() {
    if (is_terminal_) context_.err << "Write a request, or /help.\n";
    while (true) {
      if (is_terminal_) context_.err << "> " << std::flush;
      auto line = input_.next(context_.cancel);
      if (!line) return ended(line.error());
      if (!*line || **line == "/exit") return {};
      const std::string request = trimmed(**line);
      if (request.empty() || is_command(request)) continue;
      const Result<void> turn = take_turn(request);
      if (turn) continue;
      const ErrorCode code = turn.error().code();
      if (!is_terminal_ || code == ErrorCode::Cancelled ||
          code == ErrorCode::BudgetExceeded) {
        return ended(turn.error());
      }
      context_.err << "lamarck: " << one_line(turn.error().message(), 500)
                   << "\n";
    }
  }

 private:
  static std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return "";
    return std::string(
        text.substr(first, text.find_last_not_of(" \t") - first + 1));
  }

  bool is_command(const std::string& request) {
    if (!request.starts_with('/')) return false;
    if (request == "/usage") {
      context_.err << fmt::format("{} requests, {} steps, {} tokens\n",
                                  requests_, spent_.evaluations, spent_.tokens);
    } else {
      if (request != "/help") {
        context_.err << "Unknown command " << in_quotes(request) << ".\n";
      }
      context_.err << kChatHelp;
    }
    return true;
  }

  // The limits are those of the whole conversation.
  agent::AgentRunnerOptions options() const {
    agent::AgentRunnerOptions options = shop_.options();
    options.spent = {
        .spent = spent_,
        .wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
            context_.time_spent())};
    options.previous = previous_;
    options.history = history_;
    return options;
  }

  Result<void> take_turn(const std::string& request) {
    ++requests_;
    agent::AgentRunner runner = shop_.make_runner(options());
    const auto run = runner.run(request, std::nullopt, context_.cancel);
    if (!run) return run.error();
    print(*run);
    remember(*run);
    shop_.run_jobs();
    return {};
  }

  void remember(const agent::AgentRun& run) {
    previous_ = run.id;
    history_ = run.history;
    history_.push_back({{"role", "user"}, {"content", run.task}});
    history_.push_back({{"role", "assistant"}, {"content", run.answer}});
    spent_.evaluations += run.step_count();
    spent_.tokens += run.tokens;
    spent_.money_micros += run.money_micros;
  }

  void print(const agent::AgentRun& run) {
    if (context_.json) {
      context_.out << dump_json(store::redacted_json(agent::to_json(run)))
                   << "\n";
    } else if (!run.answer.empty()) {
      context_.out << (context_.out_is_terminal ? safe_lines(run.answer)
                                                : run.answer)
                   << "\n";
    }
    context_.out.flush();
  }

  Error ended(const Error& error) const {
    if (previous_.empty()) return error;
    return error.within(
        "The conversation can be continued with `lamarck "
        "agent chat --resume " +
        previous_ + "`");
  }

  AgentWorkshop& shop_;
  CommandContext& context_;
  LineInput& input_;
  const bool is_terminal_;
  std::string previous_;
  Json history_ = Json::array();
  BudgetAmounts spent_;
  int requests_ = 0;
};

}  // namespace

void add_agent_chat_flags(CLI::App& app, AgentChatFlags& flags) {
  add_option(app, "--resume", &flags.resume,
             "Continue the conversation after this run", {.type = "ID"});
  add_agent_work_flags(app, flags.work);
}

Result<void> run_agent_chat(const AgentChatFlags& flags,
                            CommandContext& context) {
  LineInput input(STDIN_FILENO);
  ASSIGN_OR_RETURN(
      const auto shop,
      AgentWorkshop::open(flags.work, context, make_question(context, input)));
  if (!shop->has_model()) {
    return invalid_argument(
        "A conversation needs a model; set llm.base_url and llm.model.");
  }
  Chat chat(*shop, context, input);
  if (!flags.resume.empty()) RETURN_IF_ERROR(chat.resume(flags.resume));
  return chat.run();
}

}  // namespace lamarck::cli
