// Who changes the marked function of a program.

#pragma once

#include <memory>
#include <string>

#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/problems/program_evaluator.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::cli {

// What --engine says; else gp if the function is a formula, else llm if a model
// is set, else an error that tells both ways. Of a function that is no formula
// the error for gp names the line and column in program.py.
Result<law::LawEngine> chosen_engine(const SearchRun& run,
                                     const problems::ProgramFolder& folder,
                                     const Settings& settings);

Result<std::shared_ptr<archipelago::MutationEngine>> program_engine(
    const SearchRun& run, law::LawEngine engine,
    const std::shared_ptr<const problems::ProgramRunner>& runner,
    const std::shared_ptr<const archipelago::Evaluator>& evaluator,
    CommandContext& context);

}  // namespace lamarck::cli
