// The engine that changes the marked function of a program.

#pragma once

#include <memory>
#include <string>

#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/llm/counted_chat_model.h"
#include "lamarck/problems/program_evaluator.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::cli {

// Returns the engine of --engine; without it, gp if the function is a formula,
// else llm if a model server is configured. If gp is chosen and the function is
// not a formula, the error names the line and column in program.py.
Result<law::LawEngine> choose_engine(const SearchRun& run,
                                     const problems::ProgramFolder& folder,
                                     const Settings& settings);

struct ProgramEngine {
  std::shared_ptr<archipelago::MutationEngine> engine;
  std::shared_ptr<llm::CountedChatModel> model;  // Null for gp.
};

// Makes the engine. `mix` leaves out gp if the function is not a formula.
Result<ProgramEngine> make_program_engine(
    const SearchRun& run, law::LawEngine engine,
    const std::shared_ptr<const problems::ProgramRunner>& runner,
    const std::shared_ptr<const archipelago::Evaluator>& evaluator,
    CommandContext& context);

}  // namespace lamarck::cli
