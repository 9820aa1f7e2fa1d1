// `lamarck runs rm` and `lamarck runs gc`.

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/runs/recorded_run.h"
#include "lamarck/cli/runs/runs_commands.h"
#include "lamarck/runs/record_file.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::cli {
namespace {

struct RmFlags {
  std::string db;
  std::vector<std::string> runs;
  bool removes_files = false;
};

struct GcFlags {
  std::string db;
  std::int64_t days = 30;
  std::int64_t keep = 100;
  bool removes_files = false;
  bool is_dry = false;
};

// Removes the folder of a run, if it is one.
void remove_folder(const runs::RunView& run) {
  namespace fs = std::filesystem;
  const fs::path folder = run.summary.folder;
  std::error_code ignored;
  if (folder.empty() || !fs::exists(folder / runs::kRecordFile, ignored))
    return;
  fs::remove_all(folder, ignored);
}

Result<void> remove_all(const OpenedRuns& opened,
                        const std::vector<runs::RunView>& all,
                        bool removes_files) {
  for (const runs::RunView& run : all) {
    RETURN_IF_ERROR(runs::remove_run(*opened.catalog, run));
    if (removes_files) remove_folder(run);
  }
  return {};
}

void print_removed(const std::vector<runs::RunView>& all, const char* verb,
                   CommandContext& context) {
  Json ids = Json::array();
  for (const runs::RunView& run : all) {
    ids.push_back(run.id);
    if (!context.json) {
      context.out << verb << " " << one_line(run.id) << ", "
                  << one_line(run.summary.goal, 60) << ".\n";
    }
  }
  if (context.json) context.out << dump_json(Json{{"removed", ids}}) << "\n";
}

Result<void> remove_runs(const RmFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened, open_runs(flags.db, true, context));
  std::vector<runs::RunView> all;
  for (const std::string& text : flags.runs) {
    ASSIGN_OR_RETURN(runs::RunView run, opened.catalog->find_by_prefix(text));
    all.push_back(std::move(run));
  }
  RETURN_IF_ERROR(remove_all(opened, all, flags.removes_files));
  print_removed(all, "Removed", context);
  return {};
}

Result<void> collect_garbage(const GcFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened, open_runs(flags.db, true, context));
  ASSIGN_OR_RETURN(const runs::RunPage page,
                   opened.catalog->list({.limit = SIZE_MAX}));
  const std::int64_t oldest =
      runs::milliseconds_since_1970(context.clock.wall_time()) -
      flags.days * 86'400'000;
  std::vector<runs::RunView> old;
  std::int64_t kept = 0;
  for (const runs::RunView& run : page.runs) {
    if (!runs::is_evolving_kind(run.summary.kind)) continue;
    const bool is_kept =
        run.is_active() || ++kept <= flags.keep || run.summary.updated > oldest;
    if (!is_kept) old.push_back(run);
  }
  if (!flags.is_dry) {
    RETURN_IF_ERROR(remove_all(opened, old, flags.removes_files));
  }
  print_removed(old, flags.is_dry ? "Would remove" : "Removed", context);
  if (old.empty() && !context.json) context.out << "Nothing to remove.\n";
  return {};
}

}  // namespace

Command runs_rm_command() {
  return {.name = "rm",
          .summary = "Remove runs from the journal",
          .description =
              "Removes runs and their events from the journal. Their folders "
              "stay, unless --files is given. A run that goes on must be "
              "stopped first.",
          .example = "lamarck runs rm net-7k3m9q2x --files",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<RmFlags>();
            add_journal_flag(app, flags->db);
            add_option(app, "RUNS", &flags->runs,
                       "Ids of runs, or their beginnings",
                       {.is_required = true});
            add_switch(app, "--files", flags->removes_files,
                       "Also remove the folders of the runs");
            return [flags](CommandContext& context) {
              return remove_runs(*flags, context);
            };
          }};
}

Command runs_gc_command() {
  return {.name = "gc",
          .summary = "Remove old runs from the journal",
          .description =
              "Removes runs that have ended, are older than --days, and are "
              "not among the newest --keep.",
          .example = "lamarck runs gc --days 7 --dry-run",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<GcFlags>();
            add_journal_flag(app, flags->db);
            add_option(
                app, "--days", &flags->days,
                "Keep runs that changed in the last N days (default: 30)",
                {.type = "N", .range = {{0, 100'000}}});
            add_option(app, "--keep", &flags->keep,
                       "Keep the newest N runs (default: 100)",
                       {.type = "N", .range = {{0, 1'000'000}}});
            add_switch(app, "--files", flags->removes_files,
                       "Also remove the folders of the runs");
            add_switch(app, "--dry-run", flags->is_dry,
                       "Only show what would be removed");
            return [flags](CommandContext& context) {
              return collect_garbage(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
