// Records a command that evolves something as a run of the journal.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"
#include "lamarck/runs/run_recorder.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lamarck::cli {

struct RecordFlags {
  std::string db;
  std::string run_id;
  bool only_checks = false;
};
// Adds --db, --run-id and --check.
void add_record_flags(CLI::App& app, RecordFlags& flags);
// Says that the run could start: the answer to --check.
void print_check(const CommandContext& context);

// Without recording (--runs-record off), all members do nothing.
class RecordedRun {
 public:
  // Starts to record. Replaces the token of the context by one that a request
  // to stop cancels too. A resumed run continues the record of its folder.
  // `source` must outlive the object.
  RecordedRun(const RecordFlags& flags, runs::RunStart start, Json facts,
              runs::RunSource& source, bool is_resumed,
              CommandContext& context);

  // Records how the run ended. Prints why if it was not recorded.
  void finish(const Result<Json>& outcome);

 private:
  CommandContext& context_;
  std::unique_ptr<runs::RunRecorder> recorder_;  // Null if it is off.
};

}  // namespace lamarck::cli
