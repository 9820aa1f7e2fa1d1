#include "lamarck/evolution/evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/crew.h"
#include "lamarck/evolution/evolution_checkpoint.h"
#include "lamarck/evolution/internal/gain_beyond_chance.h"
#include "lamarck/evolution/internal/island_crew.h"
#include "lamarck/evolution/internal/option_check.h"
#include "lamarck/evolution/internal/result_bytes.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::evolution {
namespace {

// The pause between checkpoints is at least this many times as long as saving
// one takes, so checkpoints take at most 2 % of the time.
constexpr double kMinPauseFactor = 50;

std::size_t parameter_count(const Candidate& candidate) {
  std::size_t sum = 0;
  for (const Network& network : candidate.networks) {
    sum += network.parameters().size();
  }
  return sum;
}

// One run, from the initial networks or from a checkpoint.
class Run {
 public:
  explicit Run(const MultiEvolution& evolution)
      : evolution_(evolution),
        options_(evolution.options),
        clock_(options_.clock != nullptr ? *options_.clock : system_clock_),
        pool_(options_.threads),
        lived_(make_lived(evolution)),
        context_(lived_, pool_, [this] { return must_stop(); }),
        strategy_(parse_strategy(options_.strategy).value()) {
    for (Network& network : evolution_.networks) network.check();
    evolution_.task->prepare(std::span<Network>(evolution_.networks));
    lived_.networks = evolution_.networks;
    if (options_.crew != nullptr) share_islands();
    begin_ = seconds_now() - options_.seconds_spent;
  }

  Result<MultiEvolutionResult> run() {
    if (crew_ && !options_.crew->is_leader()) {
      return crew_->serve().and_then(decode_result);
    }
    if (options_.resume) RETURN_IF_ERROR(load());
    if (state_.islands.empty()) make_islands();
    while (reason_.empty()) {
      RETURN_IF_ERROR(advance());
      report_generation();
      RETURN_IF_ERROR(check_dropped());
      reason_ = reason_to_end();
      RETURN_IF_ERROR(save(!reason_.empty()));
    }
    evolution_.profiler.send(EvolutionEnded{
        {.target_reached = state_.best.reaches_target, .reason = reason_}});
    if (crew_) {
      RETURN_IF_ERROR(options_.crew->end_stage(encode_result(result())));
    }
    return result();
  }

 private:
  double seconds_now() const {
    return std::chrono::duration<double>(clock_.elapsed()).count();
  }
  double seconds() const {
    return state_.seconds_before + seconds_now() - begin_;
  }

  // With a crew, what islands report travels to the leader.
  static MultiEvolution make_lived(const MultiEvolution& evolution) {
    MultiEvolution lived = evolution;
    if (evolution.options.crew != nullptr) lived.profiler = {};
    return lived;
  }

  void share_islands() {
    crew_.emplace(
        *options_.crew, std::max<std::size_t>(1, options_.islands),
        IslandCrew::Steps{.advance = [this](Island& island) { live(island); },
                          .report =
                              [this](const EvolutionEvent& event) {
                                evolution_.profiler.send(event);
                              },
                          .should_stop = [this] { return is_over(); }});
    lived_.profiler.use_profiler(
        [this](const EvolutionEvent& event) { crew_->note(event); });
  }

  // Only the leader of a crew looks at the clock.
  bool must_stop() const {
    return crew_ ? options_.crew->is_abandoned() : is_over();
  }

  // Whether the current generation must be cut short. All other limits are
  // checked between generations.
  bool is_over() const {
    return options_.cancel.is_cancelled() ||
           (options_.budget.seconds > 0 &&
            seconds() >= options_.budget.seconds);
  }

  void make_islands() {
    state_.islands.resize(std::max<std::size_t>(1, options_.islands));
    for (std::size_t i = 0; i < state_.islands.size(); ++i) {
      state_.islands[i].index = i;
    }
  }

  // Leaves the state without islands if there is no checkpoint.
  Result<void> load() {
    if (options_.checkpoint.empty() ||
        !std::filesystem::exists(options_.checkpoint)) {
      return {};
    }
    ASSIGN_OR_RETURN(state_, load_checkpoint(options_.checkpoint));
    RETURN_IF_ERROR(recheck(state_.best));
    for (Island& island : state_.islands) {
      RETURN_IF_ERROR(recheck(island.best));
      for (Candidate& each : island.population) RETURN_IF_ERROR(recheck(each));
    }
    // If the run had already ended, no further generation must run.
    reason_ = reason_to_end();
    return {};
  }

  // The data and the target may have changed since the checkpoint was saved.
  Result<void> recheck(Candidate& candidate) const {
    candidate.reaches_target = candidate.score >= *options_.target_metric;
    const std::vector<Network>& given = evolution_.networks;
    for (std::size_t i = 0; i < candidate.networks.size(); ++i) {
      const Network& network = candidate.networks[i];
      if (i < given.size() && network.input_width() == given[i].input_width() &&
          network.output_width() == given[i].output_width()) {
        continue;
      }
      return Error(ErrorCode::FailedPrecondition,
                   "The checkpoint " + options_.checkpoint.string() +
                       " holds networks with other inputs or outputs. Resume "
                       "with the same data, or delete the file to start over.");
    }
    return {};
  }

  Result<void> save(bool is_last) {
    if (options_.checkpoint.empty()) return {};
    if (!is_last && seconds_now() < next_save_) return {};
    // A generation that was cut short would differ from that of an
    // uninterrupted run. Save the state before it, so that resuming repeats it.
    if (was_cut_) {
      if (whole_) return save_checkpoint(options_.checkpoint, *whole_);
      return {};
    }
    const double start = seconds_now();
    EvolutionState state = state_;
    state.seconds_before = seconds();
    RETURN_IF_ERROR(save_checkpoint(options_.checkpoint, state));
    const double end = seconds_now();
    next_save_ = end + std::max(options_.checkpoint_seconds,
                                kMinPauseFactor * (end - start));
    evolution_.profiler.send(
        CheckpointSaved{{.generation = state_.generation,
                         .path = options_.checkpoint.string()}});
    return {};
  }

  Result<void> advance() {
    if (!options_.checkpoint.empty() && !crew_) {
      whole_ = state_;
      whole_->seconds_before = seconds();
    }
    if (!crew_) {
      // Islands share nothing but the pool until take_best, so the result does
      // not depend on the number of threads.
      pool_.parallel_for(state_.islands.size(),
                         [&](std::size_t i) { live(state_.islands[i]); });
    } else if (const auto lived = crew_->advance(state_.islands); !lived) {
      // The islands are as they were before this generation.
      return lived.error().code() == ErrorCode::Cancelled ? Result<void>()
                                                          : lived.error();
    }
    ++state_.generation;
    was_cut_ = !crew_ && is_over();
    take_best();
    if (state_.islands.size() > 1 && options_.migrate_every > 0 &&
        state_.generation % static_cast<std::int64_t>(options_.migrate_every) ==
            0) {
      const auto before = crew_ ? state_.islands : std::vector<Island>();
      migrate();
      if (crew_) crew_->note_changes(before, state_.islands);
    }
    return {};
  }

  void live(Island& island) {
    restart_if_flat(island);
    strategy_.advance(island, context_);
    ++island.generation;
  }

  void restart_if_flat(Island& island) const {
    if (options_.restart_after == 0 ||
        island.since_gain < static_cast<std::int64_t>(options_.restart_after)) {
      return;
    }
    island.population.clear();
    island.tried.clear();
    island.since_gain = 0;
    ++island.lives;
    ++island.counts.restarts;
    lived_.profiler.send(IslandRestarted{
        {.generation = island.generation, .island = island.index}});
  }

  void take_best() {
    ++state_.since_gain;
    for (const Island& island : state_.islands) {
      if (island.best.networks.empty() || !outdoes_best(island.best)) continue;
      state_.best = island.best;
      note_best();
    }
  }

  // Reaching the target decides first, then the loss. A larger network must
  // also be better beyond chance, which keeps noise from growing the best.
  bool outdoes_best(const Candidate& candidate) const {
    const Candidate& best = state_.best;
    if (best.networks.empty()) return true;
    if (candidate.reaches_target != best.reaches_target) {
      return candidate.reaches_target;
    }
    if (!(candidate.loss < best.loss)) return false;
    return parameter_count(candidate) <= parameter_count(best) ||
           is_beyond_chance(evolution_.task->row_losses(best.networks),
                            evolution_.task->row_losses(candidate.networks),
                            options_.min_evidence);
  }

  void note_best() {
    state_.since_gain = 0;
    GrowthRecord record{.generation = state_.generation,
                        .evaluations = counts().evaluations,
                        .seconds = seconds(),
                        .mutation = state_.best.mutation,
                        .loss = state_.best.loss,
                        .score = state_.best.score};
    for (const Network& network : state_.best.networks) {
      record.hidden_nodes += network.hidden_count();
      record.edges += network.forward_edge_count();
      record.recurrent_edges += network.recurrent_edge_count();
    }
    state_.history.push_back(record);
    evolution_.profiler.send(
        BestImproved{{.generation = record.generation,
                      .loss = record.loss,
                      .score = record.score,
                      .hidden_nodes = record.hidden_nodes,
                      .edges = record.edges,
                      .recurrent_edges = record.recurrent_edges,
                      .evaluations = record.evaluations,
                      .seconds = record.seconds,
                      .mutation = record.mutation,
                      .networks = &state_.best.networks}});
  }

  // Copies the best of each island to the next one, where it replaces the worst
  // member if it is better. The copies are taken first, so that no candidate
  // moves by more than one island.
  void migrate() {
    std::vector<Candidate> migrants;
    for (const Island& island : state_.islands) {
      migrants.push_back(island.best);
    }
    for (std::size_t i = 0; i < migrants.size(); ++i) {
      Candidate& migrant = migrants[i];
      if (migrant.networks.empty()) continue;
      Island& to = state_.islands[(i + 1) % migrants.size()];
      bool settled = false;
      if (!to.population.empty()) {
        const auto worst = std::ranges::max_element(
            to.population, {}, [](const Candidate& each) { return each.loss; });
        settled = migrant.loss < worst->loss;
        if (settled) *worst = migrant;
      }
      evolution_.profiler.send(Migrated{{.generation = state_.generation,
                                         .from = i,
                                         .to = to.index,
                                         .loss = migrant.loss,
                                         .settled = settled}});
    }
  }

  EvolutionCounts counts() const {
    EvolutionCounts sum;
    for (const Island& island : state_.islands) {
      sum.evaluations += island.counts.evaluations;
      sum.gradient_steps += island.counts.gradient_steps;
      sum.dropped += island.counts.dropped;
      sum.stopped_early += island.counts.stopped_early;
      sum.repeated += island.counts.repeated;
      sum.infeasible += island.counts.infeasible;
      sum.restarts += island.counts.restarts;
    }
    sum.generations = state_.generation;
    return sum;
  }

  void report_generation() const {
    const EvolutionCounts all = counts();
    GenerationDone::Payload payload{.generation = state_.generation,
                                    .evaluations = all.evaluations,
                                    .gradient_steps = all.gradient_steps,
                                    .best_loss = state_.best.loss,
                                    .best_score = state_.best.score,
                                    .hidden_nodes = 0,
                                    .edges = 0,
                                    .recurrent_edges = 0,
                                    .seconds = seconds()};
    for (const Network& network : state_.best.networks) {
      payload.hidden_nodes += network.hidden_count();
      payload.edges += network.forward_edge_count();
      payload.recurrent_edges += network.recurrent_edge_count();
    }
    evolution_.profiler.send(GenerationDone{payload});
  }

  // A run without any usable candidate would never improve.
  Result<void> check_dropped() const {
    const EvolutionCounts all = counts();
    if (all.dropped < kMaxFirstDropped || all.dropped < all.evaluations) {
      return {};
    }
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("Evolution: none of the first {} candidates had a finite "
                    "loss. Check the data for NaN, infinite and huge values, "
                    "or the loss that the task returns.",
                    all.dropped));
  }

  std::string reason_to_end() const {
    const EvolutionBudget& budget = options_.budget;
    if (state_.best.reaches_target) return "target";
    if (options_.cancel.is_cancelled()) return "cancelled";
    if (budget.seconds > 0 && seconds() >= budget.seconds) return "seconds";
    if (budget.generations > 0 && state_.generation >= budget.generations) {
      return "generations";
    }
    if (budget.evaluations > 0 && counts().evaluations >= budget.evaluations) {
      return "evaluations";
    }
    if (budget.flat_generations > 0 &&
        state_.since_gain >= budget.flat_generations) {
      return "flat_generations";
    }
    return "";
  }

  MultiEvolutionResult result() const {
    MultiEvolutionResult result{.networks = state_.best.networks,
                                .score = state_.best.score,
                                .loss = state_.best.loss,
                                .target_reached = state_.best.reaches_target,
                                .cancelled = reason_ == "cancelled",
                                .reason = reason_,
                                .seconds = seconds(),
                                .counts = counts(),
                                .history = state_.history};
    // The run ended before any candidate was trained.
    if (result.networks.empty()) result.networks = evolution_.networks;
    for (const Network& network : result.networks) {
      result.graphs.push_back(to_graph(network));
    }
    return result;
  }

  MultiEvolution evolution_;
  const EvolutionOptions& options_;
  SystemClock system_clock_;
  Clock& clock_;
  ThreadPool pool_;
  MultiEvolution lived_;  // What islands see.
  StrategyContext context_;
  Strategy strategy_;
  EvolutionState state_;
  std::optional<IslandCrew> crew_;
  // The state before the current generation, if there are checkpoints.
  std::optional<EvolutionState> whole_;
  bool was_cut_ = false;  // Whether the last generation was cut short.
  double begin_ = 0;      // On the clock, when the run started or resumed.
  // On the clock. Minus infinity saves the first generation, so that every run
  // can be resumed soon after its start.
  double next_save_ = -std::numeric_limits<double>::infinity();
  std::string reason_;
};

}  // namespace

Result<MultiEvolutionResult> MultiEvolution::run() const {
  REQUIRE(!networks.empty(),
          "MultiEvolution: networks must not be empty; give at least one.");
  REQUIRE(task.get() != nullptr,
          "MultiEvolution: no task is set; give one as `.task = ...`.");
  check_options(options);
  MultiEvolution complete = *this;
  complete.options.target_metric =
      options.target_metric.value_or(task->default_target());
  EvolutionBudget& budget = complete.options.budget;
  if (budget.seconds == 0 && budget.generations == 0 &&
      budget.evaluations == 0 && budget.flat_generations == 0) {
    budget.flat_generations = kDefaultFlatGenerations;
  }
  return Run(complete).run();
}

Result<EvolutionResult> Evolution::run() const {
  REQUIRE(task.get() != nullptr,
          "Evolution: no task is set; give one as `.task = ...`.");
  ASSIGN_OR_RETURN(MultiEvolutionResult result,
                   MultiEvolution{.networks = {network},
                                  .task = SingleNetworkTask(task.shared()),
                                  .options = options,
                                  .profiler = profiler}
                       .run());
  return EvolutionResult{.graph = result.graphs[0],
                         .network = std::move(result.networks[0]),
                         .score = result.score,
                         .loss = result.loss,
                         .target_reached = result.target_reached,
                         .cancelled = result.cancelled,
                         .reason = std::move(result.reason),
                         .seconds = result.seconds,
                         .counts = result.counts,
                         .history = std::move(result.history)};
}

}  // namespace lamarck::evolution
