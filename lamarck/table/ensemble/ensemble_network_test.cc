#include "lamarck/table/ensemble/ensemble_network.h"

#include <gtest/gtest.h>

#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/training.h"
#include "lamarck/table/ensemble/member_choice.h"
#include "lamarck/table/ensemble/table_design.h"

namespace lamarck::table {
namespace {

using evolution::Activation;
using evolution::Loss;
using evolution::Network;

// A network of neurons with one hidden unit that reads two of three inputs.
Network small_neurons(std::size_t outputs, Loss head) {
  Network network = evolution::minimal_network(3, outputs, 5);
  const auto hidden = network.add_hidden({.activation = Activation::Tanh});
  const auto inputs = network.nodes_of(evolution::Role::Input);
  network.add_edge(inputs[0], hidden);
  network.add_edge(inputs[2], hidden);
  for (const auto output : network.nodes_of(evolution::Role::Output)) {
    network.add_edge(hidden, output);
  }
  network.set_head(head);
  Rng rng(8);
  for (float& value : network.parameters().values) {
    value = static_cast<float>(rng.normal());
  }
  return network;
}

void randomize(Network& network, Rng& rng) {
  for (float& value : network.parameters().values) {
    value += static_cast<float>(rng.normal(0, 0.3));
  }
}

TEST(JoinEnsemble, ComputesWeightedMeanOfMembersBeforeTheHead) {
  for (const Loss head :
       {Loss::MeanSquared, Loss::BinaryCrossEntropy, Loss::CrossEntropy}) {
    const std::size_t outputs = head == Loss::CrossEntropy ? 3 : 1;
    Rng rng(3);
    const Tensor inputs = Tensor::randn({50, 3}, rng);
    const std::vector<SplineInput> all = fit_splines(inputs, 5);
    ASSERT_EQ(all.size(), 3u);
    // Other knots, and only two of the inputs.
    const std::vector<SplineInput> finer = fit_splines(inputs, 9);
    const std::vector<SplineInput> some = {finer[0], finer[2]};
    const std::vector<std::size_t> two = {0, 2};
    const std::vector<std::size_t> three = {0, 1, 2};
    Network plain = make_network({.hidden = {4}}, 3, outputs, head, rng);
    Network curved = make_network(
        {.hidden = {5}, .activation = Activation::Tanh, .has_skip = true},
        2 + feature_count(some), outputs, head, rng);
    Network deep = make_network({.hidden = {4, 3}}, 3 + feature_count(all),
                                outputs, head, rng);
    for (Network* each : {&plain, &curved, &deep}) randomize(*each, rng);
    const Network neurons = small_neurons(outputs, head);
    ASSERT_TRUE(can_join_ensemble(neurons));

    const std::vector<EnsembleMember> members = {
        {&plain, nullptr, nullptr, 0.2},
        {&curved, &two, &some, 0.3},
        {&deep, &three, &all, 0.4},
        {&neurons, nullptr, nullptr, 0.1}};
    const Network joined = join_ensemble(members, 3);

    const std::vector<Tensor> logits = {
        to_logits(evolution::predict(plain, inputs), head),
        to_logits(evolution::predict(curved, with_features(inputs, two, some)),
                  head),
        to_logits(evolution::predict(deep, with_features(inputs, three, all)),
                  head),
        to_logits(evolution::predict(neurons, inputs), head)};
    const std::vector<std::size_t> counts = {2, 3, 4, 1};
    const Tensor expected = to_outputs(mean_logits(logits, counts), head);
    const Tensor outputs_now = evolution::predict(joined, inputs);
    ASSERT_EQ(outputs_now.shape(), expected.shape());
    for (std::int64_t row = 0; row < expected.size(0); ++row) {
      for (std::int64_t i = 0; i < expected.size(1); ++i) {
        EXPECT_NEAR(outputs_now.at({row, i}), expected.at({row, i}), 2e-4)
            << "head " << evolution::name_of(head) << ", row " << row;
      }
    }
  }
}

TEST(JoinEnsemble, JoinsSingleHiddenLayersToOneLayer) {
  Rng rng(1);
  const Network one =
      make_network({.hidden = {4}}, 2, 1, Loss::MeanSquared, rng);
  const Network two =
      make_network({.hidden = {6}}, 2, 1, Loss::MeanSquared, rng);
  const std::vector<EnsembleMember> members = {{&one, nullptr, nullptr, 0.5},
                                               {&two, nullptr, nullptr, 0.5}};

  const Network joined = join_ensemble(members, 2);

  EXPECT_EQ(joined.hidden_count(), 1u);
  EXPECT_EQ(joined.hidden_units(), 10u);
}

TEST(JoinEnsemble, RejectsNodesThatDoNotAddTheirInputs) {
  Network network = small_neurons(1, Loss::MeanSquared);
  network.set_aggregation(network.hidden_nodes()[0],
                          evolution::Aggregation::Product);
  EXPECT_FALSE(can_join_ensemble(network));
}

}  // namespace
}  // namespace lamarck::table
