#include "lamarck/cli/evolve/net_evolution.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/cli/evolve/run_watch.h"
#include "lamarck/cli/reading_progress.h"
#include "lamarck/crew/cpu_time.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/data/csv.h"
#include "lamarck/evolution/evolution_checkpoint.h"
#include "lamarck/evolution/network_file.h"
#include "lamarck/report/net_report.h"
#include "lamarck/runs/net_source.h"

namespace lamarck::cli {
namespace {

using data::Table;
using evolution::EvolutionEvent;
using evolution::GenerationDone;
using report::net_json;
using report::NetPaths;
using table::TableEvolutionOptions;
using table::TableEvolutionOutcome;
using table::TablePlan;
namespace fs = std::filesystem;

constexpr const char* kNetCheckpointFile = "checkpoint.lmk";

// ---- Data.

struct Tables {
  Table known;
  std::optional<Table> test;

  const Table* test_table() const { return test ? &*test : nullptr; }
};

// For fewer rows than a network needs, another command may fit.
Result<void> check_row_count(const NetRun& run, const Table& table) {
  const std::size_t rows = table.row_count();
  if (rows >= table::kMinTableRows || run.options.is_series) return {};
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("{}: At least {} rows are needed, got {}; `lamarck evolve "
                  "fn` finds a formula from 2 rows or more.",
                  data::csv_name(run.data), table::kMinTableRows, rows));
}

Result<Tables> read_tables(const NetRun& run, const CommandContext& context) {
  data::CsvOptions options{.encoding = run.encoding,
                           .cancel = context.cancel,
                           .watch = watch_reading(context, run.data)};
  ASSIGN_OR_RETURN(Table known, data::read_csv(run.data, options));
  RETURN_IF_ERROR(check_row_count(run, known));
  if (!run.test) return Tables{std::move(known), std::nullopt};
  options.watch = watch_reading(context, *run.test);
  ASSIGN_OR_RETURN(Table test, data::read_csv(*run.test, options));
  return Tables{std::move(known), std::move(test)};
}

// Names the files that an error may refer to.
std::string file_names(const NetRun& run) {
  return data::csv_name(run.data) +
         (run.test ? " and " + data::csv_name(*run.test) : "");
}

// Names the file at fault: the test file if the other one is fine by itself.
Result<TablePlan> make_plan(const NetRun& run, const Tables& tables) {
  auto plan = table::plan_table(tables.known, tables.test_table(), run.options);
  if (plan) return plan;
  const bool is_of_test =
      tables.test && table::plan_table(tables.known, nullptr, run.options);
  return plan.error().within(data::csv_name(is_of_test ? *run.test : run.data));
}

// A goal that no network can reach would let the run use all of its budget.
Result<void> check_goal(const NetRun& run, const TablePlan& plan) {
  const auto& goal = run.options.goal;
  const bool rises = plan.metric.higher_is_better;
  if (!goal || (rises ? *goal <= 1 : *goal >= 0)) return {};
  return invalid_argument(fmt::format("--goal must be {} for {}, got {}.",
                                      rises ? "at most 1" : "at least 0",
                                      plan.metric.name, *goal));
}

// Reads and encodes the tables, and frees them before the evolution.
Result<TablePlan> read_plan(const NetRun& run, const CommandContext& context) {
  const QuitOnInterrupt quits(kInterruptedBefore);
  ASSIGN_OR_RETURN(const Tables tables, read_tables(run, context));
  ASSIGN_OR_RETURN(TablePlan plan, make_plan(run, tables));
  RETURN_IF_ERROR(check_goal(run, plan));
  return plan;
}

// ---- Progress.

std::string remark(const GenerationDone::Payload& done, const TablePlan& plan) {
  std::string text;
  if (std::isfinite(done.best_score)) {
    text += fmt::format("{} {:.4g}, ", plan.metric.name,
                        plan.shown(done.best_score));
  }
  text += fmt::format("{} hidden, {} edges", done.hidden_nodes,
                      done.edges + done.recurrent_edges);
  if (done.seconds > 0) {
    text += fmt::format(", {:.3g} candidates/s",
                        static_cast<double>(done.evaluations) / done.seconds);
  }
  return text;
}

void show(const GenerationDone::Payload& done, const TablePlan& plan,
          const evolution::EvolutionBudget& budget, RunWatch& watch) {
  if (!watch.has_begun()) watch.begin_at(done.generation - 1);
  std::optional<double> left;
  if (budget.seconds > 0) left = budget.seconds - done.seconds;
  watch.update(done.generation, remark(done, plan), left);
}

Result<TableEvolutionOutcome> evolve_once(const NetRun& run,
                                          const TablePlan& plan,
                                          runs::NetSource* source,
                                          CommandContext& context) {
  const evolution::EvolutionBudget& budget = run.options.evolution.budget;
  ProgressOptions shown = context.progress("Evolving");
  shown.unit = "generations";
  if (budget.generations > 0) shown.total = budget.generations;
  RunWatch watch(context.err, context.clock, shown, run.resume);
  bool was_used_up = false;
  Profiler<EvolutionEvent> profiler;
  profiler.use_profiler([&](const EvolutionEvent& event) {
    if (source != nullptr) source->note(event);
    if (const auto* end = std::get_if<evolution::EvolutionEnded>(&event)) {
      const std::string& reason = end->payload.reason;
      was_used_up =
          watch.is_idle() && (reason == "seconds" || reason == "generations" ||
                              reason == "evaluations");
    }
    if (const auto* done = std::get_if<GenerationDone>(&event)) {
      show(done->payload, plan, budget, watch);
    }
  });
  auto outcome = table::evolve_table(plan, run.options, profiler);
  watch.finish();
  if (!outcome) return outcome.error().within(file_names(run));
  if (was_used_up) context.err << used_up_note(run.out, "net");
  return outcome;
}

// ---- Results.

// Creates and locks the folder, and stores the flags of a new run there.
Result<FileLock> open_folder(const NetRun& run, const NetFlags& flags,
                             std::ostream& notes) {
  ASSIGN_OR_RETURN(FileLock lock, open_run_folder({.folder = run.out,
                                                   .kind = "net",
                                                   .is_resumed = run.resume,
                                                   .is_forced = run.is_forced},
                                                  notes));
  if (!run.resume) {
    RETURN_IF_ERROR(write_file(run.out / kRunFile, run_file_text(flags)));
  }
  return lock;
}

// Rejects a damaged checkpoint; a missing
// one is fine, the run then starts over.
Result<void> check_checkpoint(const NetRun& run) {
  const fs::path path = run.out / kNetCheckpointFile;
  if (!fs::exists(path)) return {};
  const auto state = evolution::load_checkpoint(path);
  if (state) return {};
  return Error(
      ErrorCode::DataDamaged,
      fmt::format("{} is damaged, so the run cannot be resumed; start it again "
                  "with the flags in {}.",
                  path.string(), (run.out / kRunFile).string()));
}

// What equal runs have in common, so that they write equal files.
Json lasting_facts(Json facts) {
  for (const char* name : {"seconds", "model", "picture", "report"}) {
    facts.erase(name);
  }
  return facts;
}

Result<void> write_results(const NetRun& run,
                           const TableEvolutionOutcome& outcome,
                           const NetPaths& paths) {
  std::map<std::string, std::string> notes = outcome.notes();
  notes["facts"] = dump_json(
      lasting_facts(net_json(outcome, run.options.evolution.seed, paths)));
  RETURN_IF_ERROR(evolution::save_network(
      paths.model, {.network = outcome.result.network, .notes = notes}));
  const std::string picture = report::net_picture(outcome);
  RETURN_IF_ERROR(write_file(paths.picture, picture));
  RETURN_IF_ERROR(write_file(run.out / "held_out.json",
                             dump_json(report::held_out_json(outcome)) + "\n"));
  return write_file(paths.report,
                    report::net_report_page(outcome, run.options,
                                            run.data.string(), picture));
}

void use_context(NetRun& run, const CommandContext& context) {
  run.options.evolution.cancel = context.cancel;
  run.options.evolution.threads = context.settings.count("threads");
}

// ---- The record in the journal.

Json make_limits(const evolution::EvolutionBudget& budget) {
  Json limits = Json::array();
  const auto add = [&](double limit, const char* unit) {
    if (limit > 0) limits.push_back({{"limit", limit}, {"unit", unit}});
  };
  add(budget.seconds, "seconds");
  add(static_cast<double>(budget.generations), "generations");
  add(static_cast<double>(budget.evaluations), "evaluations");
  return limits;
}

std::vector<std::string> output_names(const data::TargetColumn& target) {
  return target.has_classes() ? target.classes
                              : std::vector<std::string>{target.name};
}

runs::RunStart make_run_start(const NetRun& run, const TablePlan& plan) {
  const auto stored = read_file(run.out / kRunFile, std::uint64_t{16} << 20);
  const auto options = stored ? parse_json(*stored) : Result<Json>(Json());
  return {.id = "",
          .kind = "net",
          .goal = fmt::format("Predict {} from {}", plan.encoding.target().name,
                              run.data.filename().string()),
          .options = options ? *options : Json::object(),
          .seed = run.options.evolution.seed,
          .limits = make_limits(run.options.evolution.budget),
          .folder = fs::absolute(run.out).string()};
}

Json make_facts(const TablePlan& plan) {
  return {{"score_name", plan.metric.name},
          {"higher_is_better", plan.metric.higher_is_better},
          {"target", plan.encoding.target().name},
          {"inputs", plan.encoding.input_names()},
          {"outputs", output_names(plan.encoding.target())}};
}

// Returns the facts of the result.
Result<Json> evolve_and_write(NetRun run, const TablePlan& plan,
                              runs::NetSource& source,
                              CommandContext& context) {
  use_context(run, context);
  run.options.evolution.checkpoint = run.out / kNetCheckpointFile;
  run.options.evolution.resume = run.resume;
  run.options.evolution.seconds_spent =
      std::chrono::duration<double>(context.time_spent()).count();
  ASSIGN_OR_RETURN(const TableEvolutionOutcome outcome,
                   evolve_once(run, plan, &source, context));
  const NetPaths paths{.model = run.out / kModelFile,
                       .picture = run.out / "network.svg",
                       .report = run.out / "report.html"};
  RETURN_IF_ERROR(write_results(run, outcome, paths));
  Json facts = net_json(outcome, run.options.evolution.seed, paths);
  context.out << (context.json ? dump_json(facts) + "\n"
                               : safe_lines(report::net_text(outcome, paths)));
  return facts;
}

// The flags that members need. A resumed run has them in its folder; the goal
// may have been changed.
Result<Json> member_flags(const NetFlags& flags, const NetRun& run) {
  if (!run.resume) {
    ASSIGN_OR_RETURN(Json json, parse_json(run_file_text(flags)));
    json["seeds"] = run.seeds;
    return json;
  }
  ASSIGN_OR_RETURN(const std::string stored, read_file(run.out / kRunFile));
  ASSIGN_OR_RETURN(Json json, parse_json(stored));
  if (run.options.goal) json["goal"] = *run.options.goal;
  return json;
}

// Members get the tables with the run, so they need no common disk.
Result<std::unique_ptr<crew::Crew>> open_net_crew(
    const NetFlags& flags, const NetRun& run, const CommandContext& context) {
  ASSIGN_OR_RETURN(const Json stored, member_flags(flags, run));
  crew::CrewRun shared{
      .kind = "net", .flags = dump_json(stored), .version = "", .simd = ""};
  RETURN_IF_ERROR(add_crew_file(flags.crew, run.data, shared));
  if (run.test) RETURN_IF_ERROR(add_crew_file(flags.crew, *run.test, shared));
  return open_crew(flags.crew, std::move(shared),
                   context.settings.count("threads"), context);
}

// A crew may have been killed whole; then the same command goes on.
void continue_unfinished(const NetFlags& flags, NetRun& run,
                         std::ostream& notes) {
  const auto stored = read_file(run.out / kRunFile, std::uint64_t{16} << 20);
  if (run.resume || run.is_forced || !stored ||
      *stored != run_file_text(flags) || fs::exists(run.out / kModelFile) ||
      !fs::exists(run.out / kNetCheckpointFile)) {
    return;
  }
  notes << fmt::format("lamarck: Continuing the unfinished run in {}.\n",
                       one_line(run.out.string(), 300));
  run.resume = true;
}

Result<void> run_seed(const NetFlags& flags, const RecordFlags& record,
                      NetRun run, CommandContext& context) {
  std::unique_ptr<crew::Crew> crew;
  if (!record.only_checks) {
    ASSIGN_OR_RETURN(crew, open_net_crew(flags, run, context));
  }
  if (crew != nullptr && !crew->is_leader()) {
    return help_evolve_net(run, static_cast<crew::CrewMembership&>(*crew),
                           context);
  }
  ASSIGN_OR_RETURN(const TablePlan plan, read_plan(run, context));
  if (record.only_checks) {
    print_check(context);
    return {};
  }
  run.options.evolution.crew = crew.get();
  if (crew != nullptr) continue_unfinished(flags, run, context.err);
  ASSIGN_OR_RETURN(const FileLock lock, open_folder(run, flags, context.err));
  if (run.resume) RETURN_IF_ERROR(check_checkpoint(run));
  runs::NetSource source(
      {.labels = {.inputs = plan.encoding.input_names(),
                  .outputs = output_names(plan.encoding.target())},
       .shown_score = [&plan](double score) { return plan.shown(score); }});
  RecordedRun recorded(record, make_run_start(run, plan), make_facts(plan),
                       source, run.resume, context);
  const Result<Json> facts = evolve_and_write(run, plan, source, context);
  recorded.finish(facts);
  if (!facts) return facts.error();
  return context.cancel.check();
}

// ---- Several seeds.

struct SeedRuns {
  Json facts = Json::array();  // Of the seeds that finished, in their order.
  double cpu_seconds = 0;
};

// Runs the seeds 1 to K one after the other.
Result<SeedRuns> evolve_seeds(NetRun run, const Tables& tables,
                              CommandContext& context) {
  SeedRuns runs;
  const std::clock_t begin = std::clock();
  for (std::int64_t seed = 1; seed <= run.seeds; ++seed) {
    run.options.evolution.seed = static_cast<std::uint64_t>(seed);
    // The seed decides which rows are held out, and so the plan.
    ASSIGN_OR_RETURN(const TablePlan plan, make_plan(run, tables));
    ASSIGN_OR_RETURN(const TableEvolutionOutcome outcome,
                     evolve_once(run, plan, nullptr, context));
    if (context.cancel.is_cancelled()) break;
    runs.facts.push_back(
        net_json(outcome, static_cast<std::uint64_t>(seed), NetPaths{}));
  }
  runs.cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return runs;
}

// One seed is one piece: its facts and its CPU time. CBOR keeps numbers that
// are not finite.
Result<std::string> evolve_piece(NetRun run, const Tables& tables,
                                 std::uint64_t seed, const crew::Crew& crew) {
  const double begin = crew::thread_cpu_seconds();
  run.options.evolution.seed = seed;
  run.options.evolution.threads = 1;  // The others compute other seeds.
  run.options.evolution.cancel = crew.abandonment();
  ASSIGN_OR_RETURN(const TablePlan plan, make_plan(run, tables));
  ASSIGN_OR_RETURN(const TableEvolutionOutcome outcome,
                   table::evolve_table(plan, run.options));
  const std::vector<std::uint8_t> bytes =
      Json::to_cbor({{"facts", net_json(outcome, seed, NetPaths{})},
                     {"cpu_seconds", crew::thread_cpu_seconds() - begin}});
  return std::string(bytes.begin(), bytes.end());
}

crew::Work seed_work(const NetRun& run, const Tables& tables,
                     const crew::Crew& crew) {
  return [&](std::size_t index, std::string_view) {
    Result<std::string> bytes = evolve_piece(run, tables, index + 1, crew);
    if (!bytes) throw LogicError(bytes.error());
    return *std::move(bytes);
  };
}

// Runs the seeds 1 to K by a crew.
Result<SeedRuns> share_seeds(const NetRun& run, const Tables& tables,
                             crew::Crew& crew, CommandContext& context) {
  const crew::Work work = seed_work(run, tables, crew);
  ASSIGN_OR_RETURN(const auto results,
                   map_seeds(run.seeds, crew, work, context));
  SeedRuns runs;
  for (const std::string& bytes : results) {
    if (bytes.empty()) continue;  // It was interrupted.
    Json piece = Json::from_cbor(bytes, true, false);
    if (piece.is_discarded()) {
      return Error(ErrorCode::DataDamaged, "The result of a seed is damaged.");
    }
    runs.cpu_seconds += piece.at("cpu_seconds").get<double>();
    runs.facts.push_back(std::move(piece.at("facts")));
  }
  return runs;
}

// Writes no files.
Result<void> run_seeds(const NetFlags& flags, NetRun run,
                       CommandContext& context) {
  ASSIGN_OR_RETURN(const auto crew, open_net_crew(flags, run, context));
  if (crew != nullptr && !crew->is_leader()) {
    return help_evolve_net(run, static_cast<crew::CrewMembership&>(*crew),
                           context);
  }
  std::optional<QuitOnInterrupt> quits(kInterruptedBefore);
  ASSIGN_OR_RETURN(const Tables tables, read_tables(run, context));
  // What is wrong with the data is reported before any seed starts.
  RETURN_IF_ERROR(make_plan(run, tables));
  quits.reset();
  use_context(run, context);
  ASSIGN_OR_RETURN(SeedRuns runs,
                   crew == nullptr ? evolve_seeds(run, tables, context)
                                   : share_seeds(run, tables, *crew, context));
  if (runs.facts.empty()) return context.cancel.check();
  const Json summary = report::net_summary(
      std::move(runs.facts), runs.cpu_seconds, run.options.goal.has_value());
  context.out << (context.json ? dump_json(summary) + "\n"
                               : safe_lines(report::net_summary_text(summary)));
  return context.cancel.check();
}

Result<void> help_seeds(const NetRun& run, crew::CrewMembership& crew,
                        CommandContext& context) {
  const auto tables = read_tables(run, context);
  if (!tables) return leave_crew(crew, tables.error());
  const crew::Work work = seed_work(run, *tables, crew);
  const auto served = crew.serve(work);
  crew.wait_for_end();
  return served ? Result<void>() : served.error();
}

}  // namespace

Result<void> help_evolve_net(NetRun run, crew::CrewMembership& crew,
                             CommandContext& context) {
  use_context(run, context);
  if (run.seeds > 0) return help_seeds(run, crew, context);
  run.options.evolution.crew = &crew;
  const auto plan = read_plan(run, context);
  if (!plan) return leave_crew(crew, plan.error());
  const auto outcome = table::evolve_table(*plan, run.options);
  crew.wait_for_end();
  return outcome ? Result<void>() : outcome.error();
}

Result<void> join_evolve_net(const JoinedRun& joined,
                             crew::CrewMembership& crew,
                             CommandContext& context) {
  ASSIGN_OR_RETURN(Json flags, parse_json(joined.flags));
  for (std::size_t i = 0; i < joined.files.size(); ++i) {
    flags[i == 0 ? "data" : "test"] = joined.files[i].string();
  }
  RETURN_IF_ERROR(write_file(joined.folder / kRunFile, dump_json(flags)));
  NetFlags stored;
  stored.resume = joined.folder.string();
  auto run = make_net_run(stored);
  if (!run) return leave_crew(crew, run.error());
  run->seeds = flags.value("seeds", std::int64_t{0});
  return help_evolve_net(*std::move(run), crew, context);
}

Result<void> evolve_net(const NetFlags& flags, const RecordFlags& record,
                        CommandContext& context) {
  ASSIGN_OR_RETURN(const NetRun run, make_net_run(flags));
  const bool has_seeds = run.seeds > 0 && !record.only_checks;
  return has_seeds ? run_seeds(flags, run, context)
                   : run_seed(flags, record, run, context);
}

}  // namespace lamarck::cli
