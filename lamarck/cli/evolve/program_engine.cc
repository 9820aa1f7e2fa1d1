#include "lamarck/cli/evolve/program_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lamarck/archipelago/llm_engine.h"
#include "lamarck/archipelago/mix_engine.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/chat_model_setting.h"
#include "lamarck/cli/evolve/plain_python.h"
#include "lamarck/gp/tree_engine.h"
#include "lamarck/problems/python_skeleton.h"
#include "lamarck/problems/python_skeleton_lines.h"

namespace lamarck::cli {
namespace {

using law::LawEngine;
using problems::ProgramFolder;
using problems::ProgramRunner;
using EnginePtr = std::shared_ptr<archipelago::MutationEngine>;
using EvaluatorPtr = std::shared_ptr<const archipelago::Evaluator>;
using RunnerPtr = std::shared_ptr<const ProgramRunner>;

constexpr const char* kImport = "import numpy as np\n\n\n";

// Parses the evolved function as a formula. Empty lines in front of it make the
// line numbers of errors those of the file.
Result<formula::Formula> parse_formula(const ProgramFolder& folder) {
  const std::size_t parts = folder.program.parts.size();
  if (parts > 1) {
    return invalid_argument(fmt::format(
        "The engine gp changes one function, but {} parts of program.py are "
        "marked.",
        parts));
  }
  const std::string& before = folder.program.before;
  const std::string padding(
      static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
      '\n');
  auto formula = formula::parse_python(padding + folder.program.evolved,
                                       folder.program.function().name);
  if (formula) return formula;
  return Error(ErrorCode::InvalidArgument,
               "The engine gp requires a formula, but the marked function of "
               "program.py is not one: " +
                   formula.error().message());
}

// Returns the formula as Python, with NumPy only if the program uses it.
std::string make_source(const formula::Formula& formula,
                        const ProgramFolder& folder) {
  const std::string source = formula::to_python(formula);
  const std::string all = folder.program.before + folder.program.evolved;
  if (all.find("numpy") == std::string::npos) return plain_python(source);
  const bool needs_it = source.find("np.") != std::string::npos;
  return needs_it ? kImport + source : source;
}

Result<EnginePtr> make_tree_engine(const SearchRun& run,
                                   const RunnerPtr& runner,
                                   const EvaluatorPtr& evaluator) {
  gp::TreeOptions options;
  if (run.max_size) options.max_nodes = *run.max_size;
  if (run.flags.functions) {
    // The four basic operations are always available.
    options.operations = {"add", "sub", "mul", "div"};
    for (const auto& name : split_text(*run.flags.functions, ',')) {
      const bool is_listed = std::ranges::find(options.operations, name) !=
                             options.operations.end();
      if (!is_listed) options.operations.emplace_back(name);
    }
  }
  const std::string name = runner->folder().program.function().name;
  options.read = [name](const archipelago::Skeleton& skeleton) {
    return formula::parse_python(skeleton.source(), name);
  };
  options.write = [runner](const formula::Formula& formula) {
    return std::make_shared<problems::PythonSkeleton>(
        runner, make_source(formula, runner->folder()));
  };
  ASSIGN_OR_RETURN(auto engine,
                   gp::TreeEngine::create(evaluator, std::move(options)));
  return EnginePtr(std::move(engine));
}

Result<ProgramEngine> make_model_engine(const SearchRun& run,
                                        const RunnerPtr& runner,
                                        const EvaluatorPtr& evaluator,
                                        CommandContext& context) {
  const ProgramFolder& folder = runner->folder();
  archipelago::LlmEngineOptions options;
  ASSIGN_OR_RETURN(
      auto model, open_chat_model(context.settings, run.evolver.budget, options,
                                  context.clock));
  options.prompt.problem = run.problem.empty() ? folder.problem : run.problem;
  const std::string& name = folder.program.function().name;
  options.prompt.name = name;
  options.prompt.docstring =
      problems::python_docstring(folder.program.evolved, name);
  for (std::size_t i = 1; i < folder.program.parts.size(); ++i) {
    options.prompt.other_names.push_back(folder.program.parts[i].function.name);
  }
  options.prompt.language = archipelago::PromptLanguage::Python;
  // The engine reserves from this budget before each call, so that concurrent
  // calls cannot exceed it.
  const auto budget = std::make_shared<Budget>(
      BudgetLimits{.tokens = run.evolver.budget.tokens,
                   .money_micros = run.evolver.budget.money_micros},
      context.clock);
  // The deleter keeps the budget alive as long as the engine.
  EnginePtr engine(
      new archipelago::LlmEngine(
          model, problems::python_skeleton_reader(runner), evaluator, options,
          context.clock, budget.get()),
      [budget](archipelago::MutationEngine* made) { delete made; });
  return ProgramEngine{std::move(engine), std::move(model)};
}

}  // namespace

Result<LawEngine> choose_engine(const SearchRun& run,
                                const ProgramFolder& folder,
                                const Settings& settings) {
  const auto formula = parse_formula(folder);
  if (run.engine) {
    if (run.engine == LawEngine::Gp && !formula) return formula.error();
    return *run.engine;
  }
  if (formula) return LawEngine::Gp;
  if (has_chat_model(settings)) return LawEngine::Llm;
  return Error(ErrorCode::InvalidArgument,
               formula.error().message() +
                   " Write it as a formula, or let a model change it: set "
                   "LAMARCK_LLM_BASE_URL or OPENAI_API_KEY, and --llm-model.");
}

Result<ProgramEngine> make_program_engine(const SearchRun& run,
                                          LawEngine engine,
                                          const RunnerPtr& runner,
                                          const EvaluatorPtr& evaluator,
                                          CommandContext& context) {
  ProgramEngine made;
  if (engine == LawEngine::Gp) {
    ASSIGN_OR_RETURN(made.engine, make_tree_engine(run, runner, evaluator));
    return made;
  }
  ASSIGN_OR_RETURN(made, make_model_engine(run, runner, evaluator, context));
  if (engine == LawEngine::Llm) return made;
  std::vector<EnginePtr> engines = {made.engine};
  if (parse_formula(runner->folder())) {
    ASSIGN_OR_RETURN(EnginePtr tree, make_tree_engine(run, runner, evaluator));
    engines.push_back(std::move(tree));
  }
  made.engine = std::make_shared<archipelago::MixEngine>(std::move(engines));
  return made;
}

}  // namespace lamarck::cli
