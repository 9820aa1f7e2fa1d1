#include "lamarck/cli/evolve/program_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/program_engine.h"
#include "lamarck/cli/evolve/program_outcome.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/problems/program_evaluator.h"
#include "lamarck/problems/python_skeleton.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using archipelago::CycleEnded;
using archipelago::Evolver;
using archipelago::EvolverParts;
using archipelago::FunctionPtr;
using law::LawEngine;
using problems::ProgramEvaluator;
using problems::ProgramFolder;
using problems::ProgramRunner;
using problems::PythonSkeleton;

constexpr std::int64_t kDefaultResetPeriod = 2000;  // Evaluations.
constexpr std::size_t kMaxAncestors = 1000;

// The runner of the program, its evaluator, and the engine that changes it.
struct ProgramParts {
  std::shared_ptr<const ProgramRunner> runner;
  std::shared_ptr<const ProgramEvaluator> evaluator;
  std::shared_ptr<archipelago::MutationEngine> engine;
  LawEngine engine_kind = LawEngine::Gp;
};

Result<ProgramParts> make_parts(const SearchRun& run, CommandContext& context) {
  ProgramParts parts;
  ASSIGN_OR_RETURN(ProgramFolder folder,
                   problems::read_program_folder(run.data));
  ASSIGN_OR_RETURN(parts.engine_kind,
                   choose_engine(run, folder, context.settings));
  ASSIGN_OR_RETURN(parts.runner,
                   problems::open_program_runner(std::move(folder)));
  ASSIGN_OR_RETURN(parts.evaluator,
                   ProgramEvaluator::open(parts.runner, {}, context.cancel));
  ASSIGN_OR_RETURN(parts.engine,
                   make_program_engine(run, parts.engine_kind, parts.runner,
                                       parts.evaluator, context));
  return parts;
}

EvolverParts evolver_parts(const SearchRun& run, const ProgramParts& parts,
                           CommandContext& context) {
  const auto& runner = parts.runner;
  const ProgramFolder& folder = runner->folder();
  EvolverParts result;
  result.engine = parts.engine;
  result.evaluator = parts.evaluator;
  result.first = {
      std::make_shared<PythonSkeleton>(runner, folder.program.evolved)};
  result.folder = run.out;
  result.is_resumed = run.is_resumed && has_checkpoint(run.out);
  result.reader =
      [runner](const std::string& source,
               const std::vector<double>&) -> Result<archipelago::SkeletonPtr> {
    return archipelago::SkeletonPtr(
        std::make_shared<PythonSkeleton>(runner, source));
  };
  // Resuming with another program or evaluator is rejected by this hash.
  result.fingerprint =
      sha256_hex(folder.program.before + '\0' + folder.program.evolved + '\0' +
                 folder.program.after + '\0' + folder.evaluate);
  result.clock = &context.clock;
  return result;
}

std::string remark(const CycleEnded::Payload& cycle) {
  const auto& cost = cycle.counts.cost;
  std::string text = fmt::format("score {:.6g}", cycle.best->score());
  if (cycle.island_scores.size() > 1) {
    const auto [min, max] = std::ranges::minmax(cycle.island_scores);
    text += fmt::format(", islands {:.4g} to {:.4g}", min, max);
  }
  text += fmt::format(", {} failed", cycle.counts.failed);
  if (cost.tokens_in > 0) {
    text += fmt::format(", {} tokens", cost.tokens_in + cost.tokens_out);
  }
  if (cost.money_micros > 0) {
    text += fmt::format(", {:.3f} usd",
                        1e-6 * static_cast<double>(cost.money_micros));
  }
  return text;
}

// Shows the progress of the search, and records
// the curve and the functions for the report.
class ProgramWatch {
 public:
  ProgramWatch(const SearchRun& run, CommandContext& context)
      : clock_(context.clock),
        begin_(context.clock.elapsed()),
        progress_(context.err, context.clock, shown(run, context)),
        is_resumed_(run.is_resumed && has_checkpoint(run.out)) {}

  void listen(Evolver& evolver) {
    evolver.use_cluster_profiler([this](const auto& event) {
      const auto* added = std::get_if<archipelago::FnAdded>(&event);
      if (added != nullptr) known_[added->payload->id()] = added->payload;
    });
    evolver.use_profiler([this](const auto& event) {
      if (const auto* done = std::get_if<CycleEnded>(&event)) {
        update(done->payload);
      }
    });
  }

  void finish(const archipelago::EvolverOutcome& run, ProgramOutcome& outcome) {
    progress_.finish(last_);
    outcome.seconds = report::seconds_of(clock_.elapsed() - begin_);
    // Without any progress, a resumed run made no evaluations.
    const std::int64_t all = run.counts.evaluations;
    const auto made =
        static_cast<double>(all - before_.value_or(is_resumed_ ? all : 0));
    outcome.evaluations_per_s =
        outcome.seconds > 0 ? made / outcome.seconds : 0;
    outcome.curve = std::move(curve_);
    outcome.lineage = lineage(run.best);
  }

  // Whether a resumed run has done nothing.
  bool is_idle() const { return is_resumed_ && !before_; }

 private:
  static ProgressOptions shown(const SearchRun& run,
                               const CommandContext& context) {
    ProgressOptions options = context.progress("Evolving");
    options.unit = "evaluations";
    options.total = run.evolver.budget.evaluations;
    return options;
  }

  void update(const CycleEnded::Payload& cycle) {
    const std::int64_t evaluations = cycle.counts.evaluations;
    if (is_resumed_ && !before_) {
      before_ = evaluations;
      progress_.begin_at(evaluations);
    }
    if (cycle.best == nullptr) return;
    last_ = remark(cycle);
    progress_.update(evaluations, last_);
    const double best = cycle.best->score();
    if (curve_.empty() || curve_.back().best != best) {
      curve_.push_back({evaluations, best});
    }
  }

  // Follows the last parent of each function, which is the best one.
  std::vector<ProgramAncestor> lineage(FunctionPtr fn) const {
    std::vector<ProgramAncestor> result;
    while (fn != nullptr && result.size() < kMaxAncestors) {
      const archipelago::Origin& origin = fn->origin();
      result.push_back({fn->id(),
                        origin.move.empty()
                            ? origin.engine
                            : origin.engine + ": " + origin.move,
                        fn->score()});
      // Ids increase, so a parent with a larger id would be a loop.
      if (origin.parents.empty() || origin.parents.back() >= fn->id()) break;
      const auto parent = known_.find(origin.parents.back());
      fn = parent == known_.end() ? nullptr : parent->second;
    }
    std::ranges::reverse(result);
    return result;
  }

  Clock& clock_;
  std::chrono::nanoseconds begin_;
  Progress progress_;
  bool is_resumed_;
  std::optional<std::int64_t> before_;  // Evaluations before it was resumed.
  std::string last_;
  std::vector<ProgramStep> curve_;
  std::map<std::uint64_t, FunctionPtr> known_;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Result<ProgramOutcome> evolve(const SearchRun& run, const ProgramParts& parts,
                              CommandContext& context) {
  archipelago::EvolverOptions options = run.evolver;
  auto& reset = options.reset_period;
  if (!reset.evaluations && !reset.time)
    reset.evaluations = kDefaultResetPeriod;
  // Answers of a model cost money, so save each one at once.
  if (parts.engine->name() != "tree") {
    options.checkpoint_period = std::chrono::milliseconds(0);
  }
  Evolver evolver(options, evolver_parts(run, parts, context));
  ProgramWatch watch(run, context);
  watch.listen(evolver);
  ASSIGN_OR_RETURN(const archipelago::EvolverOutcome found,
                   evolver.run(context.cancel));
  if (found.best == nullptr) {
    RETURN_IF_ERROR(context.cancel.check());
    return Error(ErrorCode::NotFound,
                 "No program was evaluated within the budget; use a larger "
                 "--budget.");
  }
  if (found.end == archipelago::EvolverEnd::Budget && watch.is_idle()) {
    context.err << used_up_note(run.out, run.kind);
  }
  const archipelago::Function& best = *found.best;
  const std::vector<double>& first = parts.evaluator->first().scores;
  ProgramOutcome outcome{
      .engine = std::string(engine_name(parts.engine_kind)),
      .program = parts.runner->folder().program.with(best.skeleton()->source()),
      .source = best.skeleton()->source(),
      .score = best.score(),
      .inputs = parts.evaluator->input_names(),
      .scores = best.evaluation().scores,
      .first_score = mean(first),
      .first_scores = first,
      .lineage = {},
      .curve = {},
      .counts = found.counts,
      .reason = found.reason};
  watch.finish(found, outcome);
  return outcome;
}

}  // namespace

Result<void> evolve_program(const SearchFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(
      SearchRun run,
      make_search_run(kProgramKind, flags, context.settings.count("threads")));
  ASSIGN_OR_RETURN(const ProgramParts parts, make_parts(run, context));
  run.engine = parts.engine_kind;
  run.flags.engine = engine_name(parts.engine_kind);
  ASSIGN_OR_RETURN(const FileLock lock, open_search_folder(run, context.err));
  ASSIGN_OR_RETURN(const ProgramOutcome outcome, evolve(run, parts, context));
  RETURN_IF_ERROR(write_file(run.out / kBestProgramFile, outcome.program));
  RETURN_IF_ERROR(
      write_file(run.out / kReportFile, program_page(outcome, run)));
  context.out << (context.json ? dump_json(program_json(outcome, run)) + "\n"
                               : safe_lines(program_text(outcome, run)));
  return context.cancel.check();
}

}  // namespace lamarck::cli
