#include "lamarck/cli/evolve/program_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/search_journal.h"
#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/chat_model_setting.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/program_engine.h"
#include "lamarck/cli/evolve/program_outcome.h"
#include "lamarck/cli/evolve/program_sharing.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/cli/evolve/run_watch.h"
#include "lamarck/cli/evolve/search_record.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/problems/python_skeleton.h"
#include "lamarck/report/report_text.h"
#include "lamarck/runs/program_source.h"

namespace lamarck::cli {
namespace {

using archipelago::CycleEnded;
using archipelago::Evolver;
using archipelago::EvolverParts;
using archipelago::FunctionPtr;
using law::LawEngine;
using problems::ProgramFolder;
using problems::PythonSkeleton;

constexpr std::int64_t kDefaultResetPeriod = 2000;  // Evaluations.
constexpr std::size_t kMaxAncestors = 1000;

// What scores programs, and the engine that changes them.
struct ProgramParts {
  ProgramScoring scoring;
  std::shared_ptr<archipelago::MutationEngine> engine;
  std::shared_ptr<llm::CountedChatModel> model;  // Null for gp.
  LawEngine engine_kind = LawEngine::Gp;

  const ProgramFolder& folder() const { return scoring.runner->folder(); }
};

Result<ProgramParts> make_parts(const SearchRun& run, ProgramFolder folder,
                                CommandContext& context) {
  ProgramParts parts;
  ASSIGN_OR_RETURN(parts.engine_kind,
                   choose_engine(run, folder, context.settings));
  ASSIGN_OR_RETURN(parts.scoring,
                   open_scoring(run, std::move(folder), context));
  ASSIGN_OR_RETURN(
      ProgramEngine made,
      make_program_engine(run, parts.engine_kind, parts.scoring.runner,
                          parts.scoring.evaluator, context));
  parts.engine = std::move(made.engine);
  parts.model = std::move(made.model);
  return parts;
}

// Resuming with another program or evaluator is rejected by this hash.
std::string make_fingerprint(const ProgramFolder& folder) {
  std::string text = folder.program.before;
  for (const problems::ProgramPart& part : folder.program.parts) {
    text += '\0' + part.text + '\0' + part.after;
  }
  return sha256_hex(text + '\0' + folder.evaluate +
                    join_text(folder.settings.evaluate, " "));
}

EvolverParts evolver_parts(const SearchRun& run, const ProgramParts& parts,
                           crew::Crew* crew, CommandContext& context) {
  const ProgramFolder& folder = parts.folder();
  EvolverParts result;
  result.engine = parts.engine;
  result.evaluator = parts.scoring.evaluator;
  result.first = {std::make_shared<PythonSkeleton>(parts.scoring.runner,
                                                   folder.program.evolved)};
  result.folder = run.out;
  result.is_resumed = run.is_resumed && has_checkpoint(run.out);
  result.reader = parts.scoring.reader();
  result.fingerprint = make_fingerprint(folder);
  result.clock = &context.clock;
  result.crew = crew;
  return result;
}

std::string remark(const CycleEnded::Payload& cycle) {
  std::string text = fmt::format("score {:.6g}", cycle.best->score());
  if (cycle.island_scores.size() > 1) {
    const auto [min, max] = std::ranges::minmax(cycle.island_scores);
    text += fmt::format(", islands {:.4g} to {:.4g}", min, max);
  }
  text += fmt::format(", {} failed", cycle.counts.failed);
  return text + cost_remark(cycle.counts.cost);
}

// One evaluation must fit into the time of the run several times.
void warn_of_slow_evaluator(const SearchRun& run, const ProgramParts& parts,
                            CommandContext& context) {
  const auto& budget = run.evolver.budget.wall_time;
  if (!budget) return;
  constexpr double kFewEvaluations = 4;
  if (report::seconds_of(*budget) >
      kFewEvaluations * parts.scoring.first_seconds) {
    return;
  }
  context.err << fmt::format(
      "Note: One evaluation takes {:.0f} s, so a budget of {:.0f} s allows "
      "few of them; use a larger --budget.\n",
      parts.scoring.first_seconds, report::seconds_of(*budget));
}

// Reads the line of descent of a function from the journal, from the first
// program on. Empty if the journal cannot be read.
std::vector<ProgramAncestor> read_lineage(const std::filesystem::path& journal,
                                          std::uint64_t id) {
  struct Known {
    ProgramAncestor ancestor;
    std::uint64_t parent = 0;  // The best one; 0 for none.
  };
  std::map<std::uint64_t, Known> known;
  const auto visit = [&](const Json& line) -> Result<void> {
    if (!line.contains("id") || !line.contains("score")) return {};
    const std::string engine = line.value("engine", "");
    const std::string move = line.value("move", "");
    Known one{{line.at("id"), move.empty() ? engine : engine + ": " + move,
               line.at("score")}};
    const Json parents = line.value("parents", Json::array());
    if (!parents.empty()) one.parent = parents.back();
    known[one.ancestor.id] = std::move(one);
    return {};
  };
  std::vector<ProgramAncestor> lineage;
  if (!archipelago::read_journal(journal, visit)) return lineage;
  while (lineage.size() < kMaxAncestors) {
    const auto found = known.find(id);
    if (found == known.end()) break;
    lineage.push_back(found->second.ancestor);
    // Ids increase, so a parent with a larger id would be a loop.
    if (found->second.parent >= id) break;
    id = found->second.parent;
  }
  std::ranges::reverse(lineage);
  return lineage;
}

// Records the curve and the functions of a search for its report.
class ProgramRecord {
 public:
  void listen(Evolver& evolver, RunWatch& watch, runs::ProgramSource& source) {
    evolver.use_cluster_profiler([&source](const auto& event) {
      const auto* added = std::get_if<archipelago::FnAdded>(&event);
      if (added != nullptr) source.note(added->payload);
    });
    evolver.use_profiler([this, &watch, &source](const auto& event) {
      const auto* done = std::get_if<CycleEnded>(&event);
      if (done == nullptr) return;
      source.note(done->payload);
      const std::int64_t evaluations = done->payload.counts.evaluations;
      if (!watch.has_begun()) watch.begin_at(evaluations);
      if (done->payload.best == nullptr) return;
      watch.update(evaluations, remark(done->payload));
      add_to_curve(evaluations, done->payload.best->score());
    });
  }

  std::vector<ProgramStep> take_curve() { return std::move(curve_); }

 private:
  void add_to_curve(std::int64_t evaluations, double best) {
    if (curve_.empty() || curve_.back().best != best) {
      curve_.push_back({evaluations, best});
    }
  }

  std::vector<ProgramStep> curve_;
};

// The first programs are not added to a cluster by an event, but they are the
// parents of others.
void note_first_programs(archipelago::MutationEngine& engine,
                         runs::ProgramSource& source) {
  engine.use_profiler([&source](const auto& event) {
    const auto* started = std::get_if<archipelago::MutationStarted>(&event);
    if (started == nullptr) return;
    for (const FunctionPtr& parent : started->payload) {
      if (parent->origin().engine == "seed") source.note(parent);
    }
  });
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Result<ProgramOutcome> evolve(const SearchRun& run, const ProgramParts& parts,
                              crew::Crew* crew, runs::ProgramSource& source,
                              CommandContext& context) {
  archipelago::EvolverOptions options = run.evolver;
  auto& reset = options.reset_period;
  if (!reset.evaluations && !reset.time)
    reset.evaluations = kDefaultResetPeriod;
  // Answers of a model cost money, so save each one at once.
  if (parts.engine->name() != "tree") {
    options.checkpoint_period = std::chrono::milliseconds(0);
  }
  if (!options.goal) options.goal = parts.folder().settings.goal;
  if (parts.model != nullptr) {
    options.num_parallel =
        std::max(options.num_parallel, concurrent_calls(context));
  }
  warn_of_slow_evaluator(run, parts, context);
  note_first_programs(*parts.engine, source);
  Evolver evolver(options, evolver_parts(run, parts, crew, context));
  RunWatch watch = watch_search(run, context);
  ProgramRecord record;
  record.listen(evolver, watch, source);
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
  watch.finish();
  const archipelago::Function& best = *found.best;
  const std::vector<double>& first = parts.scoring.evaluator->first().scores;
  ProgramOutcome outcome{
      .engine = std::string(engine_name(parts.engine_kind)),
      .program = parts.folder().program.with(best.skeleton()->source()),
      .source = best.skeleton()->source(),
      .score = best.score(),
      .inputs = parts.scoring.evaluator->input_names(),
      .scores = best.evaluation().scores,
      .first_score = mean(first),
      .first_scores = first,
      .lineage = read_lineage(run.out / kJournalFile, best.id()),
      .curve = record.take_curve(),
      .counts = found.counts,
      .reason = found.reason};
  outcome.seconds = watch.seconds();
  outcome.evaluations_per_s = watch.steps_per_second(found.counts.evaluations);
  return outcome;
}

// Returns the facts of the result.
Result<Json> evolve_and_write(const SearchRun& run, const ProgramParts& parts,
                              crew::Crew* crew, runs::ProgramSource& source,
                              CommandContext& context) {
  ASSIGN_OR_RETURN(const ProgramOutcome outcome,
                   evolve(run, parts, crew, source, context));
  RETURN_IF_ERROR(write_file(run.out / kBestProgramFile, outcome.program));
  RETURN_IF_ERROR(
      write_file(run.out / kReportFile, program_page(outcome, run)));
  Json facts = program_json(outcome, run);
  context.out << (context.json ? dump_json(facts) + "\n"
                               : safe_lines(program_text(outcome, run)));
  return facts;
}

}  // namespace

Result<void> evolve_program(const SearchFlags& flags, const RecordFlags& record,
                            CommandContext& context) {
  ASSIGN_OR_RETURN(
      SearchRun run,
      make_search_run(kProgramKind, flags, context.settings.count("threads")));
  ASSIGN_OR_RETURN(ProgramFolder folder,
                   problems::read_program_folder(run.data));
  std::unique_ptr<crew::Crew> crew;
  if (!record.only_checks) {
    ASSIGN_OR_RETURN(crew, open_program_crew(flags.crew, run, folder, context));
  }
  if (crew != nullptr && !crew->is_leader()) {
    return help_evolve_program(run, std::move(folder),
                               static_cast<crew::CrewMembership&>(*crew),
                               context);
  }
  ASSIGN_OR_RETURN(const ProgramParts parts,
                   make_parts(run, std::move(folder), context));
  run.engine = parts.engine_kind;
  run.flags.engine = engine_name(parts.engine_kind);
  if (record.only_checks) {
    print_check(context);
    return {};
  }
  if (crew != nullptr) continue_unfinished(run, context.err);
  ASSIGN_OR_RETURN(const FileLock lock, open_search_folder(run, context.err));
  runs::RunStart start = search_run_start(run);
  start.goal = "Improve the program in " + run.data.filename().string();
  runs::ProgramSource source(context.clock);
  RecordedRun recorded(record, std::move(start),
                       {{"score_name", "score"}, {"higher_is_better", true}},
                       source, run.is_resumed, context);
  const Result<Json> facts =
      evolve_and_write(run, parts, crew.get(), source, context);
  recorded.finish(facts);
  if (!facts) return facts.error();
  RETURN_IF_ERROR(context.cancel.check());
  return parts.model == nullptr ? Result<void>()
                                : parts.model->check_answered();
}

}  // namespace lamarck::cli
