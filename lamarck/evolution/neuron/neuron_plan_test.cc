#include "lamarck/evolution/neuron/neuron_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::evolution {
namespace {

// One input that feeds each output directly.
NeuronTopology single(Activation activation, std::size_t outputs = 1) {
  NeuronTopology net{.inputs = 1, .outputs = outputs};
  for (std::uint32_t i = 0; i < outputs; ++i) {
    net.nodes.push_back({activation});
    net.edges.push_back({0, 1 + i});
  }
  return net;
}

TEST(NeuronPlan, StaysFiniteWithHugeLogits) {
  const Tensor rows = Tensor::rows({{1e30f}, {-1e30f}, {1e4f}, {-200}, {90}});
  const Tensor targets = Tensor::rows({{1}, {0}, {1}, {0}, {1}});
  NeuronPlan binary(single(Activation::Sigmoid), Loss::BinaryCrossEntropy);
  std::vector<float> gradient(2);

  const double right = binary.loss_and_gradient(
      std::vector<float>{1, 0}, NeuronBatch(rows, targets), gradient);
  EXPECT_NEAR(right, 0, 1e-6);
  EXPECT_NEAR(gradient[1], 0, 1e-6);
  const double wrong = binary.loss_and_gradient(
      std::vector<float>{-1, 0},
      NeuronBatch(rows.slice(0, 2, 5), targets.slice(0, 2, 5)), gradient);
  EXPECT_NEAR(wrong, (1e4 + 200 + 90) / 3, 1e-2);
  EXPECT_NEAR(gradient[1], -1.0 / 3, 1e-6);

  NeuronPlan categorical(single(Activation::Identity, 2), Loss::CrossEntropy);
  gradient.resize(4);
  const NeuronBatch pairs(
      rows, Tensor::rows({{1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 0}}));
  EXPECT_NEAR(categorical.loss_and_gradient(std::vector<float>{1, -1, 0, 0},
                                            pairs, gradient),
              0, 1e-6);
  for (const float slope : gradient) EXPECT_TRUE(std::isfinite(slope));
}

TEST(NeuronPlan, PropagatesNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const ActivationEntry& entry : activation_table()) {
    NeuronPlan plan(single(entry.value), Loss::MeanSquared);
    const NeuronBatch batch(Tensor::ones({9, 1}), Tensor::ones({9, 1}));
    EXPECT_TRUE(std::isnan(plan.loss(std::vector<float>{nan, 0}, batch)))
        << entry.name;
  }
}

// 3 inputs, one node per aggregation, 2 outputs, and all possible edges.
NeuronTopology tangle() {
  NeuronTopology net{.inputs = 3, .outputs = 2};
  for (const AggregationEntry& entry : aggregation_table()) {
    net.nodes.push_back({Activation::Tanh, entry.value});
  }
  net.nodes.resize(6, {Activation::Identity});
  for (std::uint32_t to = 3; to < 9; ++to) {
    for (std::uint32_t from = 0; from < 9; ++from) {
      net.edges.push_back({from, to, from >= to});
    }
  }
  return net;
}

std::vector<float> tangled_weights(Rng& rng) {
  std::vector<float> weights(tangle().weight_count());
  for (float& weight : weights) {
    weight = static_cast<float>(rng.uniform(-1, 1));
  }
  return weights;
}

TEST(NeuronPlan, IgnoresRowsOfWeightZero) {
  Rng rng(1);
  const std::vector<float> weights = tangled_weights(rng);
  const Tensor x = Tensor::randn({50, 4, 3}, rng);
  const Tensor y = Tensor::rand({50, 4, 2}, rng);
  Tensor importance = Tensor::zeros({50});
  importance.slice(0, 0, 20).fill(1);
  const NeuronBatch few(x.slice(0, 0, 20), y.slice(0, 0, 20));
  const NeuronBatch many(x, y, importance);
  NeuronPlan plan(tangle(), Loss::CrossEntropy);
  std::vector<float> some(weights.size());
  std::vector<float> all(weights.size());

  EXPECT_NEAR(plan.loss_and_gradient(weights, few, some),
              plan.loss_and_gradient(weights, many, all), 1e-6);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(all[i], some[i], 1e-5) << i;
  }
}

TEST(NeuronPlan, DividesLossByScale) {
  NeuronPlan plan(single(Activation::Identity), Loss::MeanSquared);
  const Tensor x = Tensor::ones({3, 1});
  const Tensor y = Tensor::zeros({3, 1});
  const std::vector<float> weights = {2, 0};

  EXPECT_NEAR(plan.loss(weights, NeuronBatch(x, y)), 4, 1e-6);
  EXPECT_NEAR(plan.loss(weights, NeuronBatch(x, y, Tensor(), 6)), 2, 1e-6);
  EXPECT_EQ(plan.loss(weights, NeuronBatch(x, y, Tensor::zeros({3}))), 0);
}

TEST(NeuronPlan, IsDeterministicAfterOtherBatches) {
  Rng rng(1);
  const std::vector<float> weights = tangled_weights(rng);
  const NeuronBatch batch(Tensor::randn({70, 5, 3}, rng),
                          Tensor::rand({70, 2}, rng));
  const NeuronBatch longer(Tensor::randn({150, 9, 3}, rng),
                           Tensor::rand({150, 9, 2}, rng));
  const NeuronBatch smaller(Tensor::randn({2, 3, 3}, rng),
                            Tensor::rand({2, 2}, rng));
  NeuronPlan plan(tangle(), Loss::CrossEntropy);
  std::vector<float> first(weights.size());
  std::vector<float> again(weights.size());
  const double loss = plan.loss_and_gradient(weights, batch, first);

  for (const NeuronBatch* other : {&smaller, &longer, &smaller}) {
    plan.loss_and_gradient(weights, *other, again);
    EXPECT_EQ(plan.loss_and_gradient(weights, batch, again), loss);
    EXPECT_EQ(again, first);
  }
}

TEST(NeuronPlan, OutputsHaveStepsIfInputsDo) {
  NeuronPlan plan(single(Activation::Tanh, 2), Loss::MeanSquared);
  const std::vector<float> weights = {1, 2, 0, 0};

  EXPECT_EQ(plan.outputs(weights, NeuronBatch(Tensor::ones({5, 1}), Tensor()))
                .shape(),
            Shape({5, 2}));
  EXPECT_EQ(
      plan.outputs(weights, NeuronBatch(Tensor::ones({5, 3, 1}), Tensor()))
          .shape(),
      Shape({5, 3, 2}));
  EXPECT_EQ(plan.outputs(weights, NeuronBatch(Tensor::ones({0, 1}), Tensor()))
                .shape(),
            Shape({0, 2}));
}

void expect_refused(const NeuronTopology& net, Loss loss) {
  EXPECT_THROW(NeuronPlan(net, loss), LogicError);
}

TEST(NeuronPlan, RejectsInvalidTopologies) {
  const NeuronTopology good = single(Activation::Tanh);
  const Loss loss = Loss::MeanSquared;
  NeuronPlan(good, loss);

  NeuronTopology bad = good;
  bad.outputs = 2;
  expect_refused(bad, loss);
  bad.outputs = 0;
  expect_refused(bad, loss);
  for (const NeuronTopology::Edge edge :
       {NeuronTopology::Edge{2, 1, true}, NeuronTopology::Edge{0, 0, true},
        NeuronTopology::Edge{0, 2}, NeuronTopology::Edge{1, 1}}) {
    bad = good;
    bad.edges.push_back(edge);
    expect_refused(bad, loss);
  }
  expect_refused(good, Loss::BinaryCrossEntropy);
  expect_refused(good, Loss::CrossEntropy);
}

TEST(NeuronPlan, RejectsIncompatibleWeightsAndBatches) {
  NeuronPlan plan(single(Activation::Tanh), Loss::MeanSquared);
  const NeuronBatch good(Tensor::ones({2, 1}), Tensor::ones({2, 1}));
  const std::vector<float> weights = {1, 2};
  std::vector<float> short_gradient(1);

  EXPECT_THROW(plan.loss(std::vector<float>{1}, good), LogicError);
  EXPECT_THROW(plan.loss_and_gradient(weights, good, short_gradient),
               LogicError);
  EXPECT_THROW(plan.loss(weights, NeuronBatch(Tensor::ones({2, 2}),
                                              Tensor::ones({2, 1}))),
               LogicError);
  EXPECT_THROW(plan.loss(weights, NeuronBatch(Tensor::ones({2, 1}), Tensor())),
               LogicError);
}

TEST(NeuronBatch, RejectsIncompatibleShapes) {
  const Tensor x = Tensor::ones({4, 3, 2});
  EXPECT_THROW(NeuronBatch(Tensor::ones({4}), Tensor()), LogicError);
  EXPECT_THROW(NeuronBatch(x, Tensor::ones({3, 1})), LogicError);
  EXPECT_THROW(NeuronBatch(x, Tensor::ones({4, 2, 1})), LogicError);
  EXPECT_THROW(NeuronBatch(Tensor::ones({4, 2}), x), LogicError);
  EXPECT_THROW(NeuronBatch(x, Tensor(), Tensor::ones({3})), LogicError);
  EXPECT_THROW(NeuronBatch(x, Tensor(), Tensor::ones({4, 2})), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
