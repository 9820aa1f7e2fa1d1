// Evolves autoencoders for data on a curve, with a code of one number.

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

// Points with one degree of freedom: an arc in the plane, or a curve in four
// dimensions.
Tensor curve(std::int64_t points, bool is_bow, Rng& rng) {
  Tensor rows = Tensor::zeros({points, is_bow ? 2 : 4});
  for (std::int64_t i = 0; i < points; ++i) {
    const auto t = static_cast<float>(rng.uniform(-1, 1));
    rows.at({i, 0}) = is_bow ? std::sin(2 * t) : t;
    rows.at({i, 1}) = is_bow ? std::cos(2 * t) : t * t;
    if (is_bow) continue;
    rows.at({i, 2}) = t * t * t;
    rows.at({i, 3}) = std::sin(3 * t);
  }
  return rows;
}

struct CurveData {
  Tensor train;
  Tensor test;
  Tensor fresh;  // Not used by the run.
};
CurveData split_curve(bool is_bow) {
  Rng rng(11);
  return {curve(120, is_bow, rng), curve(120, is_bow, rng),
          curve(120, is_bow, rng)};
}

// The score of the initial network after training, which is linear.
double start_score(const SupervisedTask& task, Network network) {
  task.prepare(network);
  task.train_until_converged(network, {});
  Rng rng(1);
  return task.evaluate(network, rng);
}

void expect_no_edge_bypasses_code(const Network& network) {
  network.check();
  for (const NetworkEdge& edge : network.edges()) {
    const int from = network.node(edge.from).stage;
    const int to = network.node(edge.to).stage;
    EXPECT_TRUE(to == from || to == from + 1) << edge.from << " " << edge.to;
    EXPECT_FALSE(edge.recurrent);
  }
}

class AutoencoderOnCurve : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Curves, AutoencoderOnCurve, testing::Bool());

TEST_P(AutoencoderOnCurve, BeatsLinearAutoencoder) {
  const CurveData data = split_curve(GetParam());
  const SupervisedTask task = autoencoder_task(data.train, data.test);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Network start = minimal_autoencoder(
        static_cast<std::size_t>(data.train.size(1)), 1, seed);
    EXPECT_LT(start_score(task, start), 0.9) << seed;

    const EvolutionResult result =
        Evolution{.network = start,
                  .task = task,
                  .options = {.seed = seed,
                              .target_metric = 0.97,
                              .budget = {.evaluations = 600}}}
            .run()
            .value();
    EXPECT_GT(measure(Metric::R2, result.network, {data.fresh, data.fresh}),
              0.95)
        << seed;
    EXPECT_GT(result.network.hidden_count(), start.hidden_count()) << seed;
    expect_no_edge_bypasses_code(result.network);
  }
}

}  // namespace
}  // namespace lamarck::evolution
