// Who changes the marked function of a program.

#pragma once

#include <memory>
#include <string>

#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/archipelago/program_evaluator.h"
#include "lamarck/archipelago/program_runner.h"
#include "lamarck/cli/command.h"
#include "lamarck/cli/search_flags.h"

namespace lamarck::cli {

// What --engine says; else gp if the function is a formula, else llm if a model
// is set, else an error that tells both ways. Of a function that is no formula
// the error for gp names the line and column in program.py.
Result<archipelago::LawEngine> chosen_engine(
    const SearchRun& run, const archipelago::ProgramFolder& folder,
    const Settings& settings);

Result<std::shared_ptr<archipelago::MutationEngine>> program_engine(
    const SearchRun& run, archipelago::LawEngine engine,
    const std::shared_ptr<const archipelago::ProgramRunner>& runner,
    const std::shared_ptr<const archipelago::Evaluator>& evaluator,
    CommandContext& context);

}  // namespace lamarck::cli
