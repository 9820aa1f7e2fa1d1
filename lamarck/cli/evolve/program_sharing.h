// Shares the evaluations of `lamarck evolve program` among the processes of a
// crew, each in the sandbox of its machine.

#pragma once

#include <memory>

#include "lamarck/archipelago/journal_record.h"
#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/joined_run.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/crew/crew.h"
#include "lamarck/problems/program_evaluator.h"
#include "lamarck/problems/program_folder.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::crew {
class CrewMembership;
}  // namespace lamarck::crew

namespace lamarck::cli {

// What evaluates programs.
struct ProgramScoring {
  std::shared_ptr<const problems::ProgramRunner> runner;
  std::shared_ptr<const problems::ProgramEvaluator> evaluator;
  double first_seconds = 0;  // How long the first program took to evaluate.

  archipelago::SkeletonReader reader() const;
};
// Evaluates the program of the folder. Limits of `run` replace those of
// problem.toml.
Result<ProgramScoring> open_scoring(const SearchRun& run,
                                    problems::ProgramFolder folder,
                                    CommandContext& context);

// Returns null if the threads of this process are the crew. Members at other
// machines get a copy of the folder.
Result<std::unique_ptr<crew::Crew>> open_program_crew(
    const std::optional<std::string>& url, const SearchRun& run,
    const problems::ProgramFolder& folder, const CommandContext& context);

// Member: evaluates programs until the leader ends the run. Takes no part if
// the program of the folder cannot be evaluated here.
Result<void> help_evolve_program(const SearchRun& run,
                                 problems::ProgramFolder folder,
                                 crew::CrewMembership& crew,
                                 CommandContext& context);
// The same at another machine.
Result<void> join_evolve_program(const JoinedRun& joined,
                                 crew::CrewMembership& crew,
                                 CommandContext& context);

}  // namespace lamarck::cli
