#include "lamarck/optim/target_network.h"

#include <gtest/gtest.h>

#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck::optim {
namespace {

struct Pair {
  Graph graph{1};
  Graph other{2};
  Var a = graph.parameter({2}, Init::zeros(), "a");
  Var b = other.parameter({2}, Init::zeros(), "b");

  Pair() {
    a.set_value(Tensor::from({2}, {0, 4}));
    b.set_value(Tensor::from({2}, {1, 8}));
  }
};

TEST(TargetNetwork, SoftUpdateMovesByTau) {
  Pair pair;
  soft_update({&pair.a, 1}, {&pair.b, 1}, 0.25f);
  EXPECT_EQ(pair.a.value().to_vector(), (std::vector<float>{0.25f, 5}));
  EXPECT_EQ(pair.b.value().to_vector(), (std::vector<float>{1, 8}));
  soft_update({&pair.a, 1}, {&pair.b, 1}, 0);
  EXPECT_EQ(pair.a.value().to_vector(), (std::vector<float>{0.25f, 5}));
  soft_update({&pair.a, 1}, {&pair.b, 1}, 1);
  EXPECT_EQ(pair.a.value().to_vector(), (std::vector<float>{1, 8}));
}

TEST(TargetNetwork, NextForwardUsesUpdatedValues) {
  Pair pair;
  const Var sum = pair.a.sum();
  sum.forward();
  soft_update({&pair.a, 1}, {&pair.b, 1}, 0.5f);
  sum.forward();
  EXPECT_EQ(sum.item(), 6.5f);
}

TEST(TargetNetwork, CopiesDoNotShareElements) {
  Pair pair;
  copy_parameters({&pair.b, 1}, {&pair.a, 1});
  pair.b.elements()[0] = -1;
  EXPECT_EQ(pair.a.value().to_vector(), (std::vector<float>{1, 8}));
}

TEST(TargetNetwork, RejectsMismatchedNetworksUnchanged) {
  Pair pair;
  const Var c = pair.graph.parameter({3}, Init::zeros(), "c");
  const std::vector<Var> target = {pair.a, c};
  const std::vector<Var> source = {pair.b, pair.b};
  EXPECT_THROW(soft_update(target, source, 0.5f), LogicError);
  EXPECT_THROW(soft_update(target, {&pair.b, 1}, 0.5f), LogicError);
  EXPECT_THROW(soft_update({&pair.a, 1}, {&pair.b, 1}, 1.5f), LogicError);
  EXPECT_THROW(copy_parameters(source, target), LogicError);
  EXPECT_EQ(pair.a.value().to_vector(), (std::vector<float>{0, 4}));
}

}  // namespace
}  // namespace lamarck::optim
