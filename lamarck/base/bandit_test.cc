#include "lamarck/base/bandit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

// Plays `rounds` rounds; arm i pays 1 with probability chances[i].
Bandit play(const std::vector<double>& chances, int rounds, Rng rng) {
  Bandit bandit(chances.size());
  for (int i = 0; i < rounds; ++i) {
    const std::size_t arm = bandit.choose();
    bandit.update(arm, rng.chance(chances[arm]) ? 1.0 : 0.0);
  }
  return bandit;
}

TEST(Bandit, TriesEveryArmOnceInOrderFirst) {
  Bandit bandit(3);
  for (std::size_t expected : {0u, 1u, 2u}) {
    EXPECT_EQ(bandit.choose(), expected);
    bandit.update(expected, 0.5);
  }
  EXPECT_EQ(bandit.choose(), 0u) << "the lowest number wins a tie";
}

TEST(Bandit, FollowsUcb1Formula) {
  Bandit bandit(2);
  bandit.update(0, 0.9);
  bandit.update(1, 0.2);
  bandit.update(0, 0.5);
  bandit.update(0, 0.4);
  // 0.6 + sqrt(2 ln 4 / 3) against 0.2 + sqrt(2 ln 4).
  EXPECT_LT(0.6 + std::sqrt(2 * std::log(4.0) / 3),
            0.2 + std::sqrt(2 * std::log(4.0)));
  EXPECT_EQ(bandit.choose(), 1u);
}

TEST(Bandit, SettlesOnTheBestArmFromEverySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Bandit bandit = play({0.2, 0.5, 0.8}, 2000, Rng(seed));
    EXPECT_GT(bandit.tries(2), 1400u) << "seed " << seed;
    EXPECT_GT(bandit.tries(0), 0u) << "seed " << seed;
  }
}

TEST(Bandit, PicksBestMeanWithoutExploration) {
  Bandit bandit(2, {.exploration = 0});
  bandit.update(0, 0.4);
  bandit.update(1, 0.6);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(bandit.choose(), 1u);
    bandit.update(1, 0.6);
  }
}

TEST(Bandit, CostAwarePrefersTheCheaperOfEqualArms) {
  Bandit plain(2);
  Bandit aware(2, {.cost_aware = true});
  for (Bandit* bandit : {&plain, &aware}) {
    for (int i = 0; i < 1000; ++i) {
      const std::size_t arm = bandit->choose();
      bandit->update(arm, 0.5, arm == 0 ? 10.0 : 1.0);
    }
  }
  EXPECT_NEAR(static_cast<double>(plain.tries(0)), 500, 5);
  EXPECT_LT(aware.tries(0), 100u);
  EXPECT_EQ(aware.mean_cost(0), 10.0);
}

TEST(Bandit, SpreadsWorkersOverUntriedArms) {
  Bandit bandit(3);
  EXPECT_EQ(bandit.begin(), 0u);
  EXPECT_EQ(bandit.begin(), 1u);
  EXPECT_EQ(bandit.begin(), 2u);
  bandit.abandon(1);
  EXPECT_EQ(bandit.begin(), 1u);
  EXPECT_THROW(Bandit(1).abandon(0), LogicError);
}

TEST(Bandit, NeverChoosesARetiredArm) {
  Bandit bandit(2);
  bandit.retire(0);
  EXPECT_EQ(bandit.choose(), 1u);
  EXPECT_EQ(bandit.add_arm(), 2u);
  bandit.update(1, 1.0);
  EXPECT_EQ(bandit.choose(), 2u);
  bandit.retire(1);
  bandit.retire(2);
  EXPECT_THROW(bandit.choose(), LogicError);
}

TEST(Bandit, RestoresFromJson) {
  Bandit bandit = play({0.3, 0.6}, 100, Rng(1));
  bandit.retire(0);
  const Bandit restored = Bandit::from_json(bandit.to_json()).value();
  EXPECT_EQ(restored.to_json(), bandit.to_json());
  EXPECT_EQ(restored.choose(), bandit.choose());
}

TEST(Bandit, RejectsDamagedJsonAndMisuse) {
  EXPECT_FALSE(Bandit::from_json(Json::parse(R"({})")));
  EXPECT_FALSE(Bandit::from_json(Json::parse(R"({"arms": 3})")));
  EXPECT_FALSE(Bandit::from_json(Json::parse(
      R"({"arms":[{"tries":-1,"reward":0,"cost":0,"retired":false}]})")));
  Bandit bandit(1, {.cost_aware = true});
  EXPECT_THROW(bandit.update(0, NAN), LogicError);
  EXPECT_THROW(bandit.update(7, 1.0), LogicError);
  EXPECT_THROW(bandit.mean_reward(7), LogicError);
  EXPECT_THROW(bandit.update(0, 1.0, 0.0), LogicError);
}

}  // namespace
}  // namespace lamarck
