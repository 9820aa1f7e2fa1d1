#include "lamarck/cli/runs/recorded_run.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/runs/record_file.h"

namespace lamarck::cli {
namespace {

std::string run_id_problem(const std::string& value) {
  const bool is_good =
      !value.empty() && value.size() <= 64 &&
      value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos;
  return is_good ? "" : "must have 1 to 64 of a-z, 0-9, - and _";
}

}  // namespace

void add_record_flags(CLI::App& app, RecordFlags& flags) {
  add_journal_flag(app, flags.db);
  add_option(app, "--run-id", &flags.run_id,
             "Id of the run in the journal (default: a new one)",
             {.type = "ID", .problem = run_id_problem});
  add_switch(app, "--check", flags.only_checks,
             "Check the options and the data, and start nothing");
}

void print_check(const CommandContext& context) {
  context.out << (context.json ? "{\"valid\":true}\n"
                               : "The options and the data are valid.\n");
}

RecordedRun::RecordedRun(const RecordFlags& flags, runs::RunStart start,
                         Json facts, runs::RunSource& source, bool is_resumed,
                         CommandContext& context)
    : context_(context) {
  if (context.settings.text("runs.record") == "off") return;
  start.id = flags.run_id;
  if (start.id.empty() && is_resumed) {
    start.id = runs::read_record_id(start.folder);
  }
  const std::string folder = start.folder;
  recorder_ = std::make_unique<runs::RunRecorder>(
      runs::RecorderOptions{.journal = journal_file(flags.db, context.settings),
                            .start = std::move(start),
                            .facts = std::move(facts),
                            .cancel = context.cancel},
      context.clock);
  recorder_->set_source(&source);
  context.cancel = recorder_->cancel();
  if (folder.empty()) return;
  // Without this file, a resumed run would only get a new id.
  (void)runs::write_record_id(folder, recorder_->id());
}

void RecordedRun::finish(const Result<Json>& outcome) {
  if (recorder_ == nullptr) return;
  std::string_view state = runs::kDone;
  std::string message;
  if (context_.cancel.is_cancelled()) {
    state = runs::kInterrupted;
    message = context_.cancel.reason();
  } else if (!outcome) {
    state = runs::kFailed;
    message = outcome.error().message();
  }
  const Result<void> recorded =
      recorder_->finish(state, std::move(message), outcome.value_or(Json()));
  if (recorded) return;
  context_.err << "lamarck: The run was not recorded in the journal: "
               << one_line(recorded.error().message(), 300)
               << " Use --db FILE to record it elsewhere, or --runs-record off "
                  "for no record.\n";
}

}  // namespace lamarck::cli
