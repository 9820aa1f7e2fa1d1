// `lamarck runs list` and `lamarck runs show`.

#include <cmath>
#include <memory>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/runs/runs_commands.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kCurvePoints = 40;
constexpr const char* kStateChoices =
    "queued|running|waiting|stopping|done|failed|interrupted|dead";

struct RunsListFlags {
  std::string db;
  std::optional<std::string> kind;
  std::optional<std::string> state;
  std::string text;
  std::int64_t limit = 50;
};

std::string score_text(const runs::RunSummary& summary) {
  if (!std::isfinite(summary.score)) return "-";
  return fmt::format("{} {:.4g}", summary.score_name, summary.score);
}

std::string list_line(const runs::RunView& run, const Clock& clock) {
  return fmt::format(
      "{:<18} {:<8} {:<12} {:<18} {:<14} {}\n", one_line(run.id, 60),
      run.summary.kind, run.state, one_line(score_text(run.summary), 24),
      time_ago(run.summary.created, clock), one_line(run.summary.goal, 60));
}

Result<void> list_runs(const RunsListFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.db, false, context));
  ASSIGN_OR_RETURN(
      const runs::RunPage page,
      opened.catalog->list({.kind = flags.kind.value_or(""),
                            .state = flags.state.value_or(""),
                            .text = flags.text,
                            .limit = static_cast<std::size_t>(flags.limit)}));
  if (context.json) {
    Json list = Json::array();
    for (const runs::RunView& run : page.runs) {
      Json json = runs::run_json(run);
      json["curve"] = runs::small_curve_json(run.summary, kCurvePoints);
      list.push_back(std::move(json));
    }
    context.out << dump_json(Json{{"runs", std::move(list)}}) << "\n";
    return {};
  }
  if (page.runs.empty()) {
    const bool is_filtered = flags.kind || flags.state || !flags.text.empty();
    context.out << (is_filtered
                        ? "No run matches; `lamarck runs list` shows all.\n"
                        : "No runs. `lamarck evolve net DATA.csv --target "
                          "COLUMN` starts one.\n");
    return {};
  }
  for (const runs::RunView& run : page.runs) {
    context.out << list_line(run, context.clock);
  }
  if (!page.next.empty()) {
    context.out << fmt::format("The newest {} runs; --limit shows more.\n",
                               page.runs.size());
  }
  return {};
}

std::string budget_text(const Json& budget) {
  const double spent = budget.value("spent", 0.0);
  const std::string unit = budget.value("unit", "");
  if (!budget["limit"].is_number())
    return fmt::format("{:.4g} {}", spent, unit);
  return fmt::format("{:.4g} of {:.4g} {}", spent,
                     budget["limit"].get<double>(), unit);
}

void print_run(const runs::RunView& run, CommandContext& context) {
  const runs::RunSummary& summary = run.summary;
  const Json json = runs::run_json(run);
  const auto line = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    context.out << fmt::format("{:<10} {}\n", name, one_line(value, 300));
  };
  line("Run", run.id);
  line("Kind", summary.kind);
  line("Goal", summary.goal);
  line("State", run.state + (json.value("message", "").empty()
                                 ? ""
                                 : ": " + json.value("message", "")));
  line("Created", time_ago(summary.created, context.clock));
  line("Budget", budget_text(json["budget"]));
  line("Score", score_text(summary));
  line("Seed", summary.seed ? std::to_string(*summary.seed) : "");
  line("Options", summary.options.empty() ? "" : dump_json(summary.options));
  line("Folder", summary.folder);
  std::string files;
  for (const Json& file : json["artifacts"]) {
    files += (files.empty() ? "" : ", ") + file.value("name", "");
  }
  line("Files", files);
  line("Events", std::to_string(summary.seq));
  if (run.can_resume()) {
    context.out << "`lamarck runs resume " << one_line(run.id)
                << "` continues it.\n";
  }
}

Result<void> show_run(const RunsFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.db, false, context));
  ASSIGN_OR_RETURN(const runs::RunView run,
                   opened.catalog->find_by_prefix(flags.run));
  if (context.json) {
    context.out << dump_json(runs::run_details_json(run)) << "\n";
  } else {
    print_run(run, context);
  }
  return {};
}

}  // namespace

Command runs_list_command() {
  return {.name = "list",
          .summary = "List the runs, newest first",
          .description =
              "Lists the runs of the journal with their kind, state and score. "
              "The state `dead` means that the process ended without saying "
              "so, and `interrupted` that the run was stopped; both can be "
              "resumed.",
          .example = "lamarck runs list --state running",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<RunsListFlags>();
            add_journal_flag(app, flags->db);
            add_option(app, "--kind", &flags->kind, "Only this kind",
                       {.type = "net|neat|fn|program|thought|agent",
                        .is_choice = true});
            add_option(app, "--state", &flags->state, "Only this state",
                       {.type = kStateChoices, .is_choice = true});
            add_option(app, "--search", &flags->text,
                       "Only runs with this text in id, goal or options",
                       {.type = "TEXT"});
            add_option(app, "--limit", &flags->limit,
                       "Maximum number of runs (default: 50)",
                       {.type = "N", .range = {{1, 100'000}}});
            return [flags](CommandContext& context) {
              return list_runs(*flags, context);
            };
          }};
}

Command runs_show_command() {
  return {.name = "show",
          .summary = "Show a run",
          .description =
              "Shows the options, the state, the budget, the score and the "
              "files of a run. --json also has its result.",
          .example = "lamarck runs show net-7k3m9q2x",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<RunsFlags>();
            add_run_argument(app, *flags);
            return [flags](CommandContext& context) {
              return show_run(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
