#include "lamarck/evolution/evolution.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/evolution_checkpoint.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::evolution {
namespace {

std::size_t parameters_of(const Candidate& candidate) {
  std::size_t sum = 0;
  for (const Network& network : candidate.networks) {
    sum += network.parameters().size();
  }
  return sum;
}

// Whether the losses of the same rows fell by more than `errors` standard
// errors. Without rows there is nothing to doubt.
bool is_beyond_chance(const std::vector<double>& before,
                      const std::vector<double>& after, double errors) {
  if (before.size() < 2 || before.size() != after.size()) return true;
  const auto count = static_cast<double>(before.size());
  double mean = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    mean += (before[i] - after[i]) / count;
  }
  double squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double off = before[i] - after[i] - mean;
    squares += off * off;
  }
  return mean > errors * std::sqrt(squares / (count - 1) / count);
}

// One run from its beginning, or from its checkpoint, to its end.
class Run {
 public:
  explicit Run(const MultiEvolution& evolution)
      : evolution_(evolution),
        options_(evolution.options),
        clock_(options_.clock != nullptr ? *options_.clock : system_clock_),
        pool_(options_.threads),
        habitat_(evolution_, pool_, [this] { return is_over(); }),
        strategy_(take(strategy_named(options_.strategy))) {
    for (Network& network : evolution_.graphs) network.check();
    evolution_.task->prepare(std::span<Network>(evolution_.graphs));
    begin_ = seconds_now();
    if (!options_.resume || !load()) make_islands();
  }

  MultiEvolutionResult run() {
    while (reason_.empty()) {
      advance();
      tell_generation();
      reason_ = reason_to_end();
      save(!reason_.empty());
    }
    evolution_.profiler.send(EvolutionEnded{
        {.target_reached = state_.best.reaches_target, .reason = reason_}});
    return result();
  }

 private:
  template <class T>
  static T take(Result<T> result) {
    if (!result) throw LogicError(result.error());
    return std::move(*result);
  }

  double seconds_now() const {
    return std::chrono::duration<double>(clock_.elapsed()).count();
  }
  double seconds() const {
    return state_.seconds_before + seconds_now() - begin_;
  }

  // Within a generation only what cannot wait ends it.
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

  bool load() {
    if (options_.checkpoint.empty() ||
        !std::filesystem::exists(options_.checkpoint)) {
      return false;
    }
    state_ = take(load_checkpoint(options_.checkpoint));
    if (state_.best.reaches_target) reason_ = "target";
    return true;
  }

  void save(bool is_last) {
    if (options_.checkpoint.empty()) return;
    if (!is_last && seconds_now() - saved_at_ < options_.checkpoint_seconds) {
      return;
    }
    // What was cut short is not part of the run as it would have been.
    if (was_cut_) {
      if (whole_) take_void(save_checkpoint(options_.checkpoint, *whole_));
      return;
    }
    EvolutionState state = state_;
    state.seconds_before = seconds();
    take_void(save_checkpoint(options_.checkpoint, state));
    saved_at_ = seconds_now();
    evolution_.profiler.send(
        CheckpointSaved{{.generation = state_.generation,
                         .path = options_.checkpoint.string()}});
  }

  static void take_void(const Result<void>& result) {
    if (!result) throw LogicError(result.error());
  }

  void advance() {
    if (!options_.checkpoint.empty()) {
      whole_ = state_;
      whole_->seconds_before = seconds();
    }
    pool_.parallel_for(state_.islands.size(), [&](std::size_t i) {
      Island& island = state_.islands[i];
      restart_if_flat(island);
      strategy_.advance(island, habitat_);
      ++island.generation;
    });
    ++state_.generation;
    was_cut_ = is_over();
    take_best();
    if (state_.islands.size() > 1 && options_.migrate_every > 0 &&
        state_.generation % static_cast<std::int64_t>(options_.migrate_every) ==
            0) {
      migrate();
    }
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
    evolution_.profiler.send(IslandRestarted{
        {.generation = state_.generation, .island = island.index}});
  }

  void take_best() {
    ++state_.since_gain;
    for (const Island& island : state_.islands) {
      if (island.best.networks.empty() || !outdoes_best(island.best)) continue;
      state_.best = island.best;
      note_best();
    }
  }

  bool outdoes_best(const Candidate& candidate) const {
    const Candidate& best = state_.best;
    if (best.networks.empty()) return true;
    if (candidate.reaches_target != best.reaches_target) {
      return candidate.reaches_target;
    }
    if (!(candidate.loss < best.loss)) return false;
    return parameters_of(candidate) <= parameters_of(best) ||
           is_beyond_chance(evolution_.task->row_losses(best.networks),
                            evolution_.task->row_losses(candidate.networks),
                            options_.least_evidence);
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
                      .recurrent_edges = record.recurrent_edges}});
  }

  // The best of each island moves on to the next and takes the place of the
  // worst there, if it is better.
  void migrate() {
    std::vector<Candidate> travellers;
    for (const Island& island : state_.islands) {
      travellers.push_back(island.best);
    }
    for (std::size_t i = 0; i < travellers.size(); ++i) {
      Candidate& traveller = travellers[i];
      if (traveller.networks.empty()) continue;
      Island& to = state_.islands[(i + 1) % travellers.size()];
      bool settled = false;
      if (!to.population.empty()) {
        const auto worst = std::ranges::max_element(
            to.population, {}, [](const Candidate& each) { return each.loss; });
        settled = traveller.loss < worst->loss;
        if (settled) *worst = traveller;
      }
      evolution_.profiler.send(Migrated{{.generation = state_.generation,
                                         .from = i,
                                         .to = to.index,
                                         .loss = traveller.loss,
                                         .settled = settled}});
    }
  }

  EvolutionCounts counts() const {
    EvolutionCounts sum;
    for (const Island& island : state_.islands) {
      sum.evaluations += island.counts.evaluations;
      sum.gradient_steps += island.counts.gradient_steps;
      sum.dropped += island.counts.dropped;
      sum.hopeless += island.counts.hopeless;
      sum.repeated += island.counts.repeated;
      sum.restarts += island.counts.restarts;
    }
    sum.generations = state_.generation;
    return sum;
  }

  void tell_generation() const {
    const EvolutionCounts all = counts();
    GenerationDone::Payload told{.generation = state_.generation,
                                 .evaluations = all.evaluations,
                                 .gradient_steps = all.gradient_steps,
                                 .best_loss = state_.best.loss,
                                 .best_score = state_.best.score,
                                 .hidden_nodes = 0,
                                 .edges = 0,
                                 .recurrent_edges = 0,
                                 .seconds = seconds()};
    for (const Network& network : state_.best.networks) {
      told.hidden_nodes += network.hidden_count();
      told.edges += network.forward_edge_count();
      told.recurrent_edges += network.recurrent_edge_count();
    }
    evolution_.profiler.send(GenerationDone{told});
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
                                .seconds = seconds(),
                                .counts = counts(),
                                .history = state_.history};
    // Cut off before anything was learnt.
    if (result.networks.empty()) result.networks = evolution_.graphs;
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
  Habitat habitat_;
  Strategy strategy_;
  EvolutionState state_;
  std::optional<EvolutionState> whole_;  // Before the generation under way.
  bool was_cut_ = false;
  double begin_ = 0;
  double saved_at_ = 0;
  std::string reason_;
};

void check(const EvolutionOptions& options) {
  REQUIRE(options.patience > 0 && options.loss_tolerance >= 0 &&
              options.grad_tolerance >= 0,
          "Evolution: patience is at least 1, tolerances are not negative");
  REQUIRE(options.budget.seconds >= 0 && options.budget.generations >= 0 &&
              options.budget.evaluations >= 0 &&
              options.budget.flat_generations >= 0,
          "Evolution: budgets are not negative");
  REQUIRE(!options.limits.activations.empty(),
          "Evolution: new nodes have an activation to draw");
  for (const auto& [name, weight] : options.mutations) {
    REQUIRE(
        find_mutation(name) != nullptr && weight >= 0 && std::isfinite(weight),
        "Evolution: mutations are those of mutation_table, with weights "
        "that are finite and not negative");
  }
}

}  // namespace

MultiEvolutionResult MultiEvolution::run() const {
  REQUIRE(!graphs.empty() && task.get() != nullptr,
          "Evolution: there are networks and a task");
  check(options);
  return Run(*this).run();
}

EvolutionResult Evolution::run() const {
  MultiEvolutionResult result =
      MultiEvolution{.graphs = {graph},
                     .task = task.shared_as<TeamTask>(),
                     .options = options,
                     .profiler = profiler}
          .run();
  return {.graph = result.graphs[0],
          .network = std::move(result.networks[0]),
          .score = result.score,
          .loss = result.loss,
          .target_reached = result.target_reached,
          .cancelled = result.cancelled,
          .seconds = result.seconds,
          .counts = result.counts,
          .history = std::move(result.history)};
}

}  // namespace lamarck::evolution
