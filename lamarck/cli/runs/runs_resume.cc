// `lamarck runs resume` and `lamarck runs replay`.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/runs/runs_commands.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/runs/run_command.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_event.h"
#include "lamarck/runs/run_state_view.h"

namespace lamarck::cli {
namespace {

struct ResumeFlags {
  RunsFlags run;
  std::string budget;
};

// The words of the command that continues the run. NEAT starts over, which
// gives the same result for the same seed.
Result<std::vector<std::string>> resume_words(const runs::RunView& run) {
  std::vector<std::string> words = runs::make_resume_words(run.summary);
  if (!words.empty()) return words;
  const Json& options = run.summary.options;
  if (run.summary.kind == "neat" && options.contains("task") &&
      !options.contains("seeds")) {
    ASSIGN_OR_RETURN(words, runs::make_run_words({.kind = "neat",
                                                  .options = options,
                                                  .data = options["task"]}));
    if (!run.summary.folder.empty()) {
      words.push_back("--out=" + run.summary.folder);
      words.emplace_back("--force");
    }
    return words;
  }
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("{} cannot be resumed, because its folder {} has no "
                           "run; start it again.",
                           run.id, in_quotes(run.summary.folder)));
}

Result<void> check_resumable(const runs::RunView& run,
                             const ResumeFlags& flags) {
  RETURN_IF_ERROR(runs::check_evolves(run, "resume"));
  const bool is_longer = run.state == runs::kDone && !flags.budget.empty();
  if (run.can_resume() || is_longer) return {};
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("Only an interrupted or dead run can be resumed, or "
                           "one that is done with a larger --budget; {} is {}.",
                           run.id, run.state));
}

// Replaces this process, so that output, signals and the exit code are those of
// the command.
Result<void> resume_run(const ResumeFlags& flags, CommandContext& context) {
  std::vector<std::string> words = {"lamarck"};
  {
    ASSIGN_OR_RETURN(const OpenedRuns opened,
                     open_runs(flags.run.db, true, context));
    ASSIGN_OR_RETURN(const runs::RunView run,
                     opened.catalog->find_by_prefix(flags.run.run));
    RETURN_IF_ERROR(check_resumable(run, flags));
    ASSIGN_OR_RETURN(const auto command, resume_words(run));
    words.insert(words.end(), command.begin(), command.end());
    words.push_back("--db=" + journal_file(flags.run.db, context.settings));
    words.push_back("--run-id=" + run.id);
  }
  if (!flags.budget.empty()) words.push_back("--budget=" + flags.budget);
  if (context.json) words.emplace_back("--json");
  words.push_back("--progress=" + context.settings.text("progress"));
  words.push_back("--threads=" + context.settings.text("threads"));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  context.out.flush();
  context.err.flush();
  execv(runs::program_path().c_str(), arguments.data());
  return Error(
      ErrorCode::IoFailed,
      fmt::format("Cannot start the program again: {}.", std::strerror(errno)));
}

struct ReplayFlags {
  RunsFlags run;
  std::int64_t at = 0;
};

// Folds all events again and compares the result with the stored summary.
Result<runs::RunSummary> refold(store::Journal& journal,
                                const std::string& id) {
  runs::RunSummary summary;
  ASSIGN_OR_RETURN(const auto events, journal.events(id));
  for (const store::Event& event : events) runs::apply(summary, event);
  return summary;
}

std::string picture_line(const store::Event& event) {
  const Json payload = runs::event_payload(event);
  const auto number = [&](const char* name) {
    const auto found = payload.find(name);
    return found != payload.end() && found->is_number()
               ? fmt::format("{:.6g}", found->get<double>())
               : std::string("-");
  };
  if (event.type == "front") {
    const Json laws = payload.value("laws", Json::array());
    const std::size_t chosen = payload.value("chosen", std::size_t{0});
    return fmt::format(
        "{:>6}  evaluation {:<9} {} laws, {}\n", event.seq,
        number("evaluations"), laws.size(),
        chosen < laws.size()
            ? one_line(laws[chosen].value("formula", std::string()), 80)
            : "");
  }
  const Json network = payload.value("network", Json::object());
  const std::size_t nodes =
      network.is_object() ? network.value("nodes", Json::array()).size() : 0;
  return fmt::format("{:>6}  generation {:<7} score {:<10} {:<16} {} nodes\n",
                     event.seq, number("generation"), number("score"),
                     one_line(payload.value("mutation", std::string()), 30),
                     nodes);
}

Result<void> replay_recorded(const ReplayFlags& flags,
                             CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.run.db, false, context));
  ASSIGN_OR_RETURN(const runs::RunView run,
                   opened.catalog->find_by_prefix(flags.run.run));
  if (flags.at > 0) {
    ASSIGN_OR_RETURN(
        const Json view,
        runs::run_state_view(*opened.catalog, run,
                             static_cast<std::uint64_t>(flags.at)));
    context.out << dump_json(view, context.json ? -1 : 2) << "\n";
    return {};
  }
  ASSIGN_OR_RETURN(const runs::RunSummary again,
                   refold(*opened.journal, run.id));
  const bool is_same = runs::to_json(again) == runs::to_json(run.summary);
  if (context.json) {
    context.out << dump_json(Json{{"run", run.id},
                                  {"events", again.seq},
                                  {"pictures", again.pictures},
                                  {"is_same", is_same}})
                << "\n";
  } else {
    for (const std::uint64_t seq : again.pictures) {
      ASSIGN_OR_RETURN(const auto events,
                       opened.journal->events(run.id, seq - 1, 1));
      if (!events.empty()) context.out << picture_line(events.front());
    }
    context.out << fmt::format("Replayed {} events of {}.\n", again.seq,
                               one_line(run.id));
  }
  if (is_same) return {};
  return Error(ErrorCode::DataDamaged,
               "The events of the run give another summary than the stored "
               "one; the journal is damaged.");
}

}  // namespace

Command runs_resume_command() {
  return {.name = "resume",
          .summary = "Continue an interrupted or dead run",
          .description =
              "Continues a run from its last checkpoint, with the same result "
              "as without the interruption. A run that is done continues with "
              "a larger --budget.",
          .example = "lamarck runs resume last",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<ResumeFlags>();
            add_run_argument(app, flags->run);
            add_option(app, "--budget", &flags->budget,
                       "New budget of the whole run, such as 5min",
                       {.type = "LIMIT"});
            return [flags](CommandContext& context) {
              return resume_run(*flags, context);
            };
          }};
}

Command runs_replay_command() {
  return {.name = "replay",
          .summary = "Rebuild a run from its events and check it",
          .description =
              "Lists the networks or laws that were the best, rebuilds the "
              "run's summary from its events and compares it with the stored "
              "one. --at N prints the state after event N.",
          .example = "lamarck runs replay last --at 12",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<ReplayFlags>();
            add_run_argument(app, flags->run);
            add_option(app, "--at", &flags->at,
                       "Print the state after this event as JSON",
                       {.type = "N", .range = {{1, 1'000'000'000}}});
            return [flags](CommandContext& context) {
              return replay_recorded(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
