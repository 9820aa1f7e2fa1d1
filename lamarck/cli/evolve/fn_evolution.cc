#include "lamarck/cli/evolve/fn_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/file.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/chat_model_setting.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/fn_outcome.h"
#include "lamarck/cli/evolve/fn_page.h"
#include "lamarck/cli/evolve/fn_sharing.h"
#include "lamarck/cli/evolve/fn_targets.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/cli/evolve/run_watch.h"
#include "lamarck/cli/evolve/search_record.h"
#include "lamarck/cli/reading_progress.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/data/csv.h"
#include "lamarck/report/report_text.h"
#include "lamarck/runs/fn_source.h"

namespace lamarck::cli {
namespace {

using law::LawEngine;
using law::LawProgress;
using law::LawSearchOptions;
using law::LawSearchResult;

// ---- Options.

// The description of the problem in the model's prompt.
std::string problem_description(const SearchRun& run,
                                const FnProblem& problem) {
  std::string text = run.problem;
  if (text.empty()) {
    text = fmt::format("Find the law that gives {} from {}.", problem.target,
                       join_text(problem.columns, ", "));
  }
  for (const std::string& name : problem.renamed()) {
    text += "\nThe argument " + name + ".";
  }
  return text;
}

// Sets `model` if the engine uses one.
Result<LawSearchOptions> make_options(
    const SearchRun& run, const FnProblem& problem, CommandContext& context,
    std::shared_ptr<llm::CountedChatModel>& model) {
  LawSearchOptions options{.engine = *run.engine, .evolver = run.evolver};
  ASSIGN_OR_RETURN(options.gp, make_gp_options(run));
  ASSIGN_OR_RETURN(options.seeds, seed_formulas(run, problem.known));
  options.llm.prompt.problem = problem_description(run, problem);
  if (run.engine != LawEngine::Gp) {
    ASSIGN_OR_RETURN(model,
                     open_chat_model(context.settings, run.evolver.budget,
                                     options.llm, context.clock));
    options.model = model;
    if (!options.seeds.empty()) {
      options.llm.prompt.docstring = options.seeds[0].docstring;
    }
    options.evolver.num_parallel =
        std::max(options.evolver.num_parallel, concurrent_calls(context));
  }
  options.folder = run.out;
  return options;
}

// ---- Progress.

std::string remark(const LawProgress& progress) {
  std::string text = fmt::format("NMSE {:.3g}, size {}", progress.best_nmse,
                                 progress.best_size);
  if (progress.island_nmse.size() > 1) {
    const auto [best, worst] = std::ranges::minmax(progress.island_nmse);
    // Adding 0.0 turns -0 into 0.
    text += fmt::format(", islands {:.2g} to {:.2g}", best + 0.0, worst + 0.0);
  }
  return text + cost_remark(progress.counts.cost);
}

void show(const LawProgress& progress, const BudgetLimits& budget,
          RunWatch& watch) {
  std::optional<double> left;
  if (budget.wall_time) {
    left = report::seconds_of(*budget.wall_time - progress.elapsed);
  }
  watch.update(progress.counts.evaluations, remark(progress), left);
}

Result<FnOutcome> find(const SearchRun& run, const LawSearchOptions& options,
                       const FnProblem& problem, runs::FnSource& source,
                       CommandContext& context) {
  RunWatch watch = watch_search(run, context);
  ASSIGN_OR_RETURN(LawSearchResult result,
                   law::find_laws(
                       problem.known, options,
                       [&](const LawProgress& progress) {
                         source.note(progress);
                         show(progress, run.evolver.budget, watch);
                       },
                       context.cancel));
  if (result.front.empty()) {
    RETURN_IF_ERROR(context.cancel.check());
    return Error(ErrorCode::NotFound,
                 "No law was found within the budget; use a larger --budget.");
  }
  if (result.end == archipelago::EvolverEnd::Budget && watch.is_idle()) {
    context.err << used_up_note(run.out, run.kind);
  }
  watch.finish();
  FnOutcome outcome{.result = std::move(result), .seconds = watch.seconds()};
  outcome.evaluations_per_s =
      watch.steps_per_second(outcome.result.counts.evaluations);
  source.note(outcome.result, outcome.seconds);
  outcome.test_nmse = test_errors(outcome.result, problem);
  return outcome;
}

// ---- Results.

// An earlier run in the folder may have had classes.
Result<void> write_classes(const FnOutcome& outcome, const FnProblem& problem,
                           const SearchRun& run) {
  const std::filesystem::path path = run.out / kClassesFile;
  if (const auto judged = judge_classes(outcome, problem)) {
    return write_file(
        path, dump_json(classes_json(*problem.classes, *judged), 2) + "\n");
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return {};
}

Result<void> write_results(const FnOutcome& outcome, const FnProblem& problem,
                           const SearchRun& run) {
  const auto write = [&](const char* name, const std::string& text) {
    return write_file(run.out / name, text);
  };
  RETURN_IF_ERROR(write(kLawPythonFile, law_python(outcome.best(), problem)));
  RETURN_IF_ERROR(write(kLawLatexFile, law_latex(outcome.best(), problem)));
  RETURN_IF_ERROR(write(kFrontFile, fn_front_csv(outcome.result)));
  RETURN_IF_ERROR(write_classes(outcome, problem, run));
  return write(kReportFile, fn_page(outcome, problem, run));
}

// ---- The record in the journal.

runs::RunStart make_run_start(const SearchRun& run, const FnProblem& problem) {
  runs::RunStart start = search_run_start(run);
  start.goal = fmt::format("Find a law for {} in {}", problem.target,
                           run.data.filename().string());
  return start;
}

Json make_facts(const FnProblem& problem) {
  return {{"score_name", "nmse"},       {"higher_is_better", false},
          {"target", problem.target},   {"inputs", problem.known.input_names},
          {"columns", problem.columns}, {"outputs", {problem.target}}};
}

// What a search for one target has found.
struct FoundLaw {
  SearchRun run;
  FnProblem problem;
  FnOutcome outcome;
  Result<void> end;  // An error if the run was interrupted.
};

Result<FnOutcome> find_and_write(const SearchRun& run,
                                 const LawSearchOptions& options,
                                 const FnProblem& problem,
                                 runs::FnSource& source,
                                 CommandContext& context) {
  ASSIGN_OR_RETURN(FnOutcome outcome,
                   find(run, options, problem, source, context));
  RETURN_IF_ERROR(write_results(outcome, problem, run));
  return outcome;
}

// `before` is the time that earlier targets took. Nothing if only the flags and
// the data were to be checked.
Result<std::optional<FoundLaw>> evolve_target(SearchRun run, crew::Crew* crew,
                                              const RecordFlags& record,
                                              std::chrono::nanoseconds before,
                                              CommandContext& context) {
  std::optional<QuitOnInterrupt> quits(kInterruptedBefore);
  ASSIGN_OR_RETURN(
      const FnProblem problem,
      read_fn_problem(run, context.cancel, watch_reading(context, run.data)));
  std::shared_ptr<llm::CountedChatModel> model;
  ASSIGN_OR_RETURN(LawSearchOptions options,
                   make_options(run, problem, context, model));
  if (record.only_checks) return std::optional<FoundLaw>();
  if (crew != nullptr) continue_unfinished(run, context.err);
  ASSIGN_OR_RETURN(const FileLock lock, open_search_folder(run, context.err));
  quits.reset();
  options.crew = crew;
  options.time_spent = context.time_spent() - before;
  options.is_resumed = run.is_resumed && has_checkpoint(run.out);
  runs::FnSource source(context.clock);
  RecordedRun recorded(record, make_run_start(run, problem),
                       make_facts(problem), source, run.is_resumed, context);
  Result<FnOutcome> outcome =
      find_and_write(run, options, problem, source, context);
  recorded.finish(outcome ? Result<Json>(fn_json(*outcome, problem, run))
                          : Result<Json>(outcome.error()));
  if (!outcome) return outcome.error();
  Result<void> end = context.cancel.check();
  if (end && model != nullptr) end = model->check_answered();
  return std::optional<FoundLaw>(
      FoundLaw{run, problem, std::move(*outcome), std::move(end)});
}

// The columns of --target; more than one only without --resume.
Result<std::vector<SearchFlags>> split_targets(const SearchFlags& flags,
                                               const RecordFlags& record,
                                               CommandContext& context) {
  const std::string target = flags.target.value_or("");
  if (flags.resume || target.find(',') == std::string::npos) {
    return std::vector<SearchFlags>{flags};
  }
  ASSIGN_OR_RETURN(
      const SearchRun run,
      make_search_run(kFnKind, flags, context.settings.count("threads")));
  if (data::is_standard_input(run.data)) {
    return std::vector<SearchFlags>{flags};
  }
  ASSIGN_OR_RETURN(const data::Table table,
                   data::read_csv(run.data.string(),
                                  {.encoding = flags.encoding.value_or(""),
                                   .cancel = context.cancel}));
  ASSIGN_OR_RETURN(
      const auto targets,
      target_names(table, target).transform_error([&](const Error& error) {
        return error.within(data::csv_name(run.data));
      }));
  if (targets.size() < 2) return std::vector<SearchFlags>{flags};
  if (!record.run_id.empty()) {
    return invalid_argument(
        "--run-id names one run, but --target has several columns; leave out "
        "--run-id.");
  }
  if (contains_search(run.out)) {
    return invalid_argument(fmt::format(
        "{} contains a run with one target; choose another --out for several "
        "targets.",
        one_line(run.out.string(), 300)));
  }
  return flags_of_targets(flags, run.out, table, targets);
}

std::string found_text(const FoundLaw& found) {
  return fn_text(found.outcome, found.problem, found.run);
}

// Prints one law, or several with the parts that they share.
void print_laws(const std::vector<FoundLaw>& found, CommandContext& context) {
  if (found.size() == 1) {
    const FoundLaw& one = found[0];
    context.out << (context.json ? dump_json(fn_json(one.outcome, one.problem,
                                                     one.run)) +
                                       "\n"
                                 : safe_lines(found_text(one)));
    return;
  }
  std::vector<law::Law> laws;
  std::vector<std::string> targets;
  Json by_target = Json::object();
  std::string text;
  for (const FoundLaw& each : found) {
    laws.push_back(each.outcome.best());
    targets.push_back(each.problem.target);
    by_target[each.problem.target] =
        fn_json(each.outcome, each.problem, each.run);
    text += found_text(each) + "\n";
  }
  const std::vector<SharedPart> shared = shared_parts(laws, targets);
  if (context.json) {
    context.out << dump_json({{"kind", kFnKind},
                              {"targets", targets},
                              {"laws", by_target},
                              {"shared", shared_json(shared)}}) +
                       "\n";
    return;
  }
  context.out << safe_lines(text + (shared.empty() ? "The laws share no part.\n"
                                                   : shared_text(shared)));
}

}  // namespace

Result<void> evolve_fn(const SearchFlags& flags, const RecordFlags& record,
                       CommandContext& context) {
  ASSIGN_OR_RETURN(const std::vector<SearchFlags> all,
                   split_targets(flags, record, context));
  const CancelToken cancel = context.cancel;
  std::vector<FoundLaw> found;
  for (const SearchFlags& one : all) {
    // The record of a run replaces it.
    context.cancel = cancel;
    const std::chrono::nanoseconds before =
        found.empty() ? std::chrono::nanoseconds(0) : context.time_spent();
    ASSIGN_OR_RETURN(
        SearchRun run,
        make_search_run(kFnKind, one, context.settings.count("threads")));
    RETURN_IF_ERROR(check_fn_crew(flags, *run.engine, all.size()));
    std::unique_ptr<crew::Crew> crew;
    if (!record.only_checks) {
      ASSIGN_OR_RETURN(crew, open_fn_crew(flags.crew, run, context));
    }
    if (crew != nullptr && !crew->is_leader()) {
      return help_evolve_fn(std::move(run),
                            static_cast<crew::CrewMembership&>(*crew), context);
    }
    ASSIGN_OR_RETURN(
        std::optional<FoundLaw> law,
        evolve_target(std::move(run), crew.get(), record, before, context));
    if (!law) continue;
    found.push_back(std::move(*law));
    if (!found.back().end) break;
  }
  if (found.empty()) {
    print_check(context);
    return {};
  }
  if (all.size() > 1 && found.size() == all.size()) {
    const std::filesystem::path folder = *all[0].out;
    RETURN_IF_ERROR(write_targets(folder.parent_path(), all));
  }
  print_laws(found, context);
  return found.back().end;
}

}  // namespace lamarck::cli
