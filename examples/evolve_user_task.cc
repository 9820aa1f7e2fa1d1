// A custom task: how much bread to bake on a day if a dozen too few costs three
// times as much as a dozen too many.

#include <cstdio>

#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/weighted_learner.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;
using namespace lamarck::evolution;

struct Days {
  Tensor weather, wanted;  // [days, 1] each; `wanted` is in dozens.
};

// Demand is highest when it is very warm or very cold, and varies more when it
// is warm.
Days days(std::int64_t count, Rng& rng) {
  Days all{Tensor::zeros({count, 1}), Tensor::zeros({count, 1})};
  for (std::int64_t i = 0; i < count; ++i) {
    const double warm = rng.uniform(-1, 1);
    all.weather.at({i, 0}) = static_cast<float>(warm);
    all.wanted.at({i, 0}) =
        static_cast<float>(rng.normal(3 + 2 * warm * warm, 0.3 * (1.5 + warm)));
  }
  return all;
}

class BakeryTask : public EvolutionTask {
 public:
  BakeryTask(Days past, Days check)
      : past_(std::move(past)), check_(std::move(check)) {}

  static double cost(const Network& network, const Days& days) {
    const Tensor missing = days.wanted - predict(network, days.weather);
    float sum = 0;
    for (const float n : missing.data()) sum += n > 0 ? 3 * n : -n;
    return double{sum} / static_cast<double>(missing.size(0));
  }

  // Works for any loss: the target is the output minus the slope of the loss.
  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& /*context*/) const override {
    WeightedLearner learner(network, {.rate = 0.02f});
    const std::int64_t count = past_.wanted.size(0);
    for (int step = 0; step < 400; ++step) {
      Tensor targets = learner.outputs(past_.weather).clone();
      for (std::int64_t i = 0; i < count; ++i) {
        float& target = targets.at({i, 0});
        target += past_.wanted.at({i, 0}) > target ? 3.0f : -1.0f;
      }
      learner.step({past_.weather, targets, Tensor::ones({count})});
    }
    network = learner.network();
    return {.loss = cost(network, past_), .check_loss = cost(network, check_)};
  }
  double evaluate(const Network& network, Rng& /*rng*/) const override {
    return -cost(network, check_);
  }

 private:
  Days past_, check_;
};

// The same task with the loss written as an expression, and another optimizer.
class ExpressionTask : public BakeryTask {
 public:
  ExpressionTask(const Days& past, const Days& check)
      : BakeryTask(past, check), given_(past), held_out_(check) {}

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& /*context*/) const override {
    const Graph graph = to_graph(network);
    graph.named("input").set_value(given_.weather);
    const Var missing = graph.input(given_.wanted) - graph.named("output");
    const Var loss = (3 * missing.relu() + (-missing).relu()).mean();
    optim::Rmsprop rmsprop(graph.parameters(), 0.02f);
    for (int step = 0; step < 200; ++step) rmsprop.minimize(loss);
    take_weights(graph, network);
    return {.loss = cost(network, given_),
            .check_loss = cost(network, held_out_)};
  }

 private:
  Days given_, held_out_;
};

int main() {
  Rng rng(1);
  const Days past = days(300, rng), check = days(300, rng);
  const EvolutionResult result =
      Evolution{.network = minimal_network(1, 1),
                .task = BakeryTask(past, check),
                .options = {.budget = {.evaluations = 40}}}
          .run()
          .value();
  // The initial network is linear.
  const double before = result.history.front().loss;
  const double after = BakeryTask::cost(result.network, days(1000, rng));
  std::printf("A day costs %.2f instead of %.2f.\n", after, before);
  const EvolutionResult same =
      Evolution{.network = minimal_network(1, 1),
                .task = ExpressionTask(past, check),
                .options = {.budget = {.evaluations = 20}}}
          .run()
          .value();
  const bool both = after < 0.8 * before && same.loss < 0.8 * before;
  return both ? 0 : 1;
}
