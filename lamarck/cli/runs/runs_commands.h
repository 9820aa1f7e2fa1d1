// The commands of `lamarck runs`.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/store/journal.h"

namespace lamarck::cli {

Command runs_list_command();
Command runs_show_command();
Command runs_tail_command();
Command runs_stop_command();
Command runs_resume_command();
Command runs_replay_command();
Command runs_compare_command();
Command runs_rm_command();
Command runs_gc_command();
Command runs_export_command();

// The journal of --db and its runs.
struct OpenedRuns {
  std::unique_ptr<store::Journal> journal;
  std::unique_ptr<runs::RunCatalog> catalog;
};
// `is_changed`: the command writes.
Result<OpenedRuns> open_runs(const std::string& db, bool is_changed,
                             CommandContext& context);

struct RunsFlags {
  std::string db;
  std::string run = "last";
};
// Adds --db and the argument RUN.
void add_run_argument(CLI::App& app, RunsFlags& flags);

// "12 s ago", for a time in milliseconds since 1970.
std::string time_ago(std::int64_t time, const Clock& clock);

}  // namespace lamarck::cli
