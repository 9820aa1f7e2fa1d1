#include "lamarck/cli/program_evolution.h"

namespace lamarck::cli {

Result<void> evolve_program(const SearchFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(
      const SearchRun run,
      search_run_of(kProgramKind, flags, context.settings.count("threads")));
  return Error(ErrorCode::Unsupported, run.data.string());
}

}  // namespace lamarck::cli
