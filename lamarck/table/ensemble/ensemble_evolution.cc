#include "lamarck/table/ensemble/ensemble_evolution.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lamarck/evolution/network_graph.h"
#include "lamarck/table/ensemble/ensemble_network.h"
#include "lamarck/table/ensemble/fold_search.h"

namespace lamarck::table {
namespace {

using evolution::EvolutionResult;
using evolution::Loss;
using evolution::Network;

// Designs to compare without and with a time budget. Another budget limits
// them too, so that a short run stays short.
constexpr std::int64_t kUntimedDesigns = 12;
constexpr std::int64_t kTimedDesigns = 1000;

// Each fold is copied, so larger tables would take too much memory.
constexpr std::int64_t kMaxNumbers = 20'000'000;

std::size_t max_designs(const evolution::EvolutionBudget& budget) {
  std::int64_t limit = budget.seconds > 0 ? kTimedDesigns : kUntimedDesigns;
  if (budget.generations > 0) limit = std::min(limit, budget.generations);
  if (budget.evaluations > 0) limit = std::min(limit, budget.evaluations);
  return static_cast<std::size_t>(limit);
}

class EnsembleEvolution {
 public:
  EnsembleEvolution(const EnsembleRequest& request,
                    TableEvolutionOutcome& outcome)
      : request_(request),
        run_(request.options.evolution),
        outcome_(outcome),
        result_(outcome.result),
        begin_(clock().elapsed()),
        seconds_before_(result_.seconds) {}

  void run() {
    if (is_over()) return;
    if (request_.known.inputs.element_count() > kMaxNumbers) {
      outcome_.remarks.emplace_back(
          "The table is too large for an ensemble, so the result is a single "
          "network.");
      return;
    }
    const FoldOutcome found = search_folds(
        request_.known, request_.labels, head(), evolved(),
        {.seed = run_.seed,
         .threads = run_.threads,
         .max_designs = max_designs(run_.budget),
         .is_series = request_.options.is_series,
         .gap = request_.options.horizon,
         .should_stop = [this] { return is_over(); },
         .is_good_enough =
             [this](const FoldOutcome& so_far) { return report(so_far); }});
    result_.counts.evaluations += found.designs;
    result_.counts.gradient_steps += found.steps;
    result_.seconds = seconds();
    set_reason(found.reason);
    if (found.candidates.empty()) return;
    if (request_.is_better && !request_.is_better(found.outputs)) return;
    take(found);
  }

 private:
  Clock& clock() { return run_.clock != nullptr ? *run_.clock : system_clock_; }

  double seconds() {
    const std::chrono::duration<double> taken = clock().elapsed() - begin_;
    return seconds_before_ + taken.count();
  }

  bool is_over() {
    return run_.cancel.is_cancelled() ||
           (run_.budget.seconds > 0 && seconds() >= run_.budget.seconds);
  }

  Loss head() const {
    if (!request_.plan.metric.is_of_classes) return Loss::MeanSquared;
    return request_.known.targets.size(-1) == 1 ? Loss::BinaryCrossEntropy
                                                : Loss::CrossEntropy;
  }

  // The evolved topology competes too, unless it is linear, as one of the first
  // designs is.
  std::optional<Network> evolved() const {
    if (result_.network.hidden_count() == 0) return std::nullopt;
    if (!can_join_ensemble(result_.network)) return std::nullopt;
    return result_.network;
  }

  // The metric of out-of-fold outputs; higher is better.
  double score_of(const Tensor& outputs) const {
    const data::Metric& metric = request_.plan.metric;
    const double score = metric.function(outputs, request_.known.targets);
    return metric.higher_is_better ? score : -score;
  }

  bool reaches_goal(double score) const {
    const std::optional<double>& goal = request_.options.goal;
    if (!goal) return false;
    const double shown = request_.plan.shown(score);
    return request_.plan.metric.higher_is_better ? shown >= *goal
                                                 : shown <= *goal;
  }

  // Reports a generation; returns whether the goal is reached.
  bool report(const FoldOutcome& so_far) {
    const double score = score_of(so_far.outputs);
    const Network& network = result_.network;
    request_.profiler.send(evolution::GenerationDone{
        {.generation = result_.counts.generations,
         .evaluations = result_.counts.evaluations + so_far.designs,
         .gradient_steps = result_.counts.gradient_steps + so_far.steps,
         .best_loss = so_far.loss,
         .best_score = score,
         .hidden_nodes = network.hidden_count(),
         .edges = network.forward_edge_count(),
         .recurrent_edges = network.recurrent_edge_count(),
         .seconds = seconds()}});
    return reaches_goal(score);
  }

  void set_reason(const std::string& reason) {
    result_.cancelled = run_.cancel.is_cancelled();
    result_.target_reached = reason == "good";
    if (reason == "good") {
      result_.reason = "target";
    } else if (reason == "stopped") {
      result_.reason = result_.cancelled ? "cancelled" : "seconds";
    } else if (run_.budget.generations == 0 && run_.budget.evaluations == 0) {
      result_.reason = reason;  // Otherwise that budget ended both parts.
    }
  }

  Network joined(const FoldOutcome& found) {
    std::vector<EnsembleMember> members;
    const auto picks = static_cast<double>(std::accumulate(
        found.counts.begin(), found.counts.end(), std::size_t{0}));
    for (std::size_t i = 0; i < found.counts.size(); ++i) {
      if (found.counts[i] == 0) continue;
      const double weight = static_cast<double>(found.counts[i]) / picks /
                            static_cast<double>(found.folds);
      for (const Network& member : found.candidates[i].members) {
        members.push_back({&member, &found.candidates[i].inputs,
                           &found.candidates[i].splines, weight});
      }
    }
    outcome_.ensemble.members = members.size();
    return join_ensemble(
        members, static_cast<std::size_t>(request_.known.inputs.size(1)));
  }

  void take(const FoldOutcome& found) {
    result_.network = joined(found);
    result_.graph = evolution::to_graph(result_.network);
    result_.loss = found.loss;
    result_.score = score_of(found.outputs);
    outcome_.score = request_.plan.shown(result_.score);
    const data::TargetColumn& target = outcome_.encoding.target();
    outcome_.intervals.emplace(
        prediction_errors(found.outputs, request_.known.targets,
                          target.has_classes(), target.deviation));
    outcome_.train_rows = request_.known.rows();
    outcome_.check_rows = request_.known.rows();
    outcome_.ensemble.folds = found.folds;
    outcome_.ensemble.designs = found.designs;
    report_best();
  }

  void report_best() {
    const Network& network = result_.network;
    result_.history.push_back(
        {.generation = result_.counts.generations,
         .evaluations = result_.counts.evaluations,
         .seconds = result_.seconds,
         .mutation = "ensemble",
         .loss = result_.loss,
         .score = result_.score,
         .hidden_nodes = network.hidden_count(),
         .edges = network.forward_edge_count(),
         .recurrent_edges = network.recurrent_edge_count()});
    const std::vector<Network> networks = {network};
    request_.profiler.send(evolution::BestImproved{
        {.generation = result_.counts.generations,
         .loss = result_.loss,
         .score = result_.score,
         .hidden_nodes = network.hidden_count(),
         .edges = network.forward_edge_count(),
         .recurrent_edges = network.recurrent_edge_count(),
         .evaluations = result_.counts.evaluations,
         .seconds = result_.seconds,
         .mutation = "ensemble",
         .networks = &networks}});
  }

  const EnsembleRequest& request_;
  const evolution::EvolutionOptions& run_;
  TableEvolutionOutcome& outcome_;
  EvolutionResult& result_;
  SystemClock system_clock_;
  std::chrono::nanoseconds begin_;
  double seconds_before_;
};

}  // namespace

void build_ensemble(const EnsembleRequest& request,
                    TableEvolutionOutcome& outcome) {
  EnsembleEvolution(request, outcome).run();
}

}  // namespace lamarck::table
