#include "lamarck/cli/runs/runs_commands.h"

#include <algorithm>
#include <chrono>

#include "lamarck/base/macros.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::cli {

Result<OpenedRuns> open_runs(const std::string& db, bool is_changed,
                             CommandContext& context) {
  OpenedRuns opened;
  const std::string file = journal_file(db, context.settings);
  if (is_changed) {
    ASSIGN_OR_RETURN(opened.journal, open_journal(file));
  } else {
    ASSIGN_OR_RETURN(opened.journal, open_journal_to_read(file));
  }
  opened.catalog =
      std::make_unique<runs::RunCatalog>(*opened.journal, context.clock);
  return opened;
}

void add_run_argument(CLI::App& app, RunsFlags& flags) {
  add_journal_flag(app, flags.db);
  add_option(app, "RUN", &flags.run,
             "Id of the run, the beginning of it, last, or last-KIND (default: "
             "last)");
}

std::string time_ago(std::int64_t time, const Clock& clock) {
  const std::int64_t now = runs::milliseconds_since_1970(clock.wall_time());
  return to_readable(
             std::chrono::milliseconds(std::max<std::int64_t>(0, now - time))) +
         " ago";
}

}  // namespace lamarck::cli
