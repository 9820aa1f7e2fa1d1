#include "lamarck/cli/command_table.h"
#include "lamarck/cli/runs/runs_commands.h"

namespace lamarck::cli {

Command runs_command() {
  return {.name = "runs",
          .summary = "List, watch and control runs",
          .description =
              "Every evolution is recorded in the journal, also while another "
              "process runs it. An id may be shortened, and `last` is the "
              "newest run. `lamarck serve` shows the same runs on a page.",
          .example =
              "lamarck runs list\n"
              "  lamarck runs tail last",
          .subcommands = {runs_list_command(), runs_show_command(),
                          runs_tail_command(), runs_stop_command(),
                          runs_resume_command(), runs_replay_command(),
                          runs_compare_command(), runs_rm_command(),
                          runs_gc_command(), runs_export_command()}};
}

}  // namespace lamarck::cli
