#include "lamarck/base/budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

using namespace std::chrono_literals;

// Appends each event of the budget as a line: "budget_warned tokens 80/100".
void listen(Budget& budget, std::vector<std::string>& lines) {
  budget.use_profiler([&lines](const BudgetEvent& event) {
    std::string line(event_type(event));
    if (const auto* warned = std::get_if<BudgetWarned>(&event)) {
      line += " " + std::string(resource_name(warned->payload.resource)) + " " +
              std::to_string(warned->payload.spent) + "/" +
              std::to_string(warned->payload.limit);
    }
    lines.push_back(line);
  });
}

TEST(Budget, WithoutLimitsNeverEnds) {
  ManualClock clock;
  Budget budget({}, clock);
  budget.reserve({.evaluations = 1'000'000'000, .tokens = 1})
      .value()
      .settle({.evaluations = 1'000'000'000});
  clock.advance(1000h);
  EXPECT_TRUE(budget.check());
  EXPECT_EQ(budget.left(Resource::Tokens), std::nullopt);
}

TEST(Budget, SettlesOnlyTheUsedPartOfReservation) {
  ManualClock clock;
  Budget budget({.tokens = 1000}, clock);

  Reservation reservation = budget.reserve({.tokens = 600}).value();
  EXPECT_EQ(budget.left(Resource::Tokens), 400);
  EXPECT_EQ(budget.spent().tokens, 0);
  reservation.settle({.tokens = 250});

  EXPECT_EQ(budget.left(Resource::Tokens), 750);
  EXPECT_EQ(budget.spent().tokens, 250);
  EXPECT_EQ(budget.reserved(), BudgetAmounts{});
  EXPECT_THROW(reservation.settle({}), LogicError);
}

TEST(Budget, ReleasesUnsettledReservations) {
  ManualClock clock;
  Budget budget({.evaluations = 10}, clock);
  { const auto dropped = budget.reserve({.evaluations = 10}); }
  EXPECT_EQ(budget.left(Resource::Evaluations), 10);
  Reservation first = budget.reserve({.evaluations = 4}).value();
  first = budget.reserve({.evaluations = 5}).value();
  EXPECT_EQ(budget.left(Resource::Evaluations), 5);
}

TEST(Budget, RefusesAllWhenOneAmountDoesNotFit) {
  ManualClock clock;
  Budget budget({.tokens = 100, .branches = 2}, clock);
  const auto refused = budget.reserve({.tokens = 50, .branches = 3});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::BudgetExceeded);
  EXPECT_EQ(refused.error().message(),
            "The budget of 2 branches has 2 left, but 3 are needed.");
  EXPECT_EQ(refused.error().fields().at("resource"), "branches");
  EXPECT_EQ(budget.left(Resource::Tokens), 100);
  EXPECT_TRUE(budget.check()) << "a refused request must not end the budget";
}

TEST(Budget, WarnsOnceAtEightyPercentAndEndsWithReason) {
  ManualClock clock;
  Budget budget({.tokens = 100}, clock);
  std::vector<std::string> lines;
  listen(budget, lines);

  budget.reserve({.tokens = 79}).value().settle({.tokens = 79});
  EXPECT_TRUE(lines.empty());
  budget.reserve({.tokens = 1}).value().settle({.tokens = 1});
  budget.reserve({.tokens = 10}).value().settle({.tokens = 10});
  EXPECT_EQ(lines, (std::vector<std::string>{"budget_warned tokens 80/100"}));
  budget.reserve({.tokens = 10}).value().settle({.tokens = 10});

  EXPECT_EQ(lines.back(), "budget_ended");
  EXPECT_EQ(lines.size(), 2u);
  EXPECT_EQ(budget.end_reason(), "The budget of 100 tokens is used up.");
  EXPECT_EQ(budget.check().error().message(), *budget.end_reason());
  EXPECT_FALSE(budget.reserve({}));
}

TEST(Budget, EndsWhenWallTimePasses) {
  ManualClock clock;
  Budget budget({.wall_time = 10s}, clock);
  std::vector<std::string> lines;
  listen(budget, lines);
  clock.advance(8s);
  EXPECT_TRUE(budget.check());
  EXPECT_EQ(budget.left(Resource::WallTime), 2000);
  clock.advance(2s);
  EXPECT_EQ(budget.check().error().message(),
            "The time budget of 10.0 s is used up.");
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "budget_warned wall_time 8000/10000", "budget_ended"}));
}

TEST(Budget, CountsMoneyInMillionths) {
  ManualClock clock;
  Budget budget({.money_micros = 2'500'000}, clock);
  EXPECT_EQ(
      budget.reserve({.money_micros = 2'500'001}).error().message(),
      "The budget of 2.5 units of money has 2.5 left, but 2.5 are needed.");
  budget.reserve({.money_micros = 2'500'000})
      .value()
      .settle({.money_micros = 2'500'000});
  EXPECT_EQ(budget.end_reason(),
            "The budget of 2.5 units of money is used up.");
}

TEST(Budget, CountsUsageBeyondReservation) {
  ManualClock clock;
  Budget budget({.tokens = 100}, clock);
  budget.reserve({.tokens = 50}).value().settle({.tokens = 130});
  EXPECT_EQ(budget.spent().tokens, 130);
  EXPECT_EQ(budget.left(Resource::Tokens), 0);
  EXPECT_FALSE(budget.check());
}

TEST(Budget, ResumesFromAmountsOfInterruptedRun) {
  ManualClock clock;
  Budget budget({.wall_time = 10s, .evaluations = 100}, clock,
                {.spent = {.evaluations = 90}, .wall_time = 7s});
  EXPECT_EQ(budget.left(Resource::Evaluations), 10);
  EXPECT_EQ(budget.left(Resource::WallTime), 3000);
}

TEST(Budget, ConcurrentWorkersNeverOvershootFromAnySeed) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SystemClock clock;
    Budget budget({.evaluations = 1000, .tokens = 20'000}, clock);
    std::atomic<int> ended = 0;
    budget.use_profiler([&](const BudgetEvent& event) {
      ended += std::holds_alternative<BudgetEnded>(event);
    });
    {
      std::vector<std::jthread> workers;
      for (std::uint64_t worker = 0; worker < 4; ++worker) {
        workers.emplace_back([&, rng = Rng(seed).split(worker)]() mutable {
          for (;;) {
            auto reservation = budget.reserve({.evaluations = 1, .tokens = 30});
            if (!reservation) return;
            const BudgetAmounts taken = budget.spent();
            ASSERT_LE(taken.evaluations, 1000);
            ASSERT_LE(taken.tokens, 20'000);
            if (rng.chance(0.1)) continue;  // The work failed.
            reservation->settle(
                {.evaluations = 1, .tokens = rng.integer(0, 30)});
          }
        });
      }
    }
    EXPECT_LE(budget.spent().evaluations, 1000) << "seed " << seed;
    EXPECT_LE(budget.spent().tokens, 20'000) << "seed " << seed;
    EXPECT_EQ(budget.reserved(), BudgetAmounts{}) << "seed " << seed;
    EXPECT_EQ(ended, budget.end_reason() ? 1 : 0) << "seed " << seed;
  }
}

TEST(Budget, UsedUpBranchesOnlyRefuseNewOnes) {
  ManualClock clock;
  Budget budget({.evaluations = 100, .branches = 2}, clock);
  budget.reserve({.branches = 2}).value().settle({.branches = 2});
  EXPECT_EQ(budget.reserve({.branches = 1}).error().message(),
            "The budget of 2 branches is used up.");
  EXPECT_TRUE(budget.check());
  EXPECT_TRUE(budget.reserve({.evaluations = 1}));
}

TEST(Budget, ZeroLimitForbidsOnlyThatResource) {
  ManualClock clock;
  Budget budget({.evaluations = 5, .tokens = 0}, clock);
  EXPECT_TRUE(budget.check());
  EXPECT_TRUE(budget.reserve({.evaluations = 1}));
  EXPECT_FALSE(budget.reserve({.tokens = 1}));
}

TEST(Budget, SaturatesAmountsThatWouldOverflow) {
  ManualClock clock;
  Budget budget({.tokens = 100}, clock);
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  Reservation first = budget.reserve({.tokens = 1}).value();
  Reservation second = budget.reserve({.tokens = 1}).value();
  first.settle({.tokens = kMax});
  second.settle({.tokens = kMax});
  EXPECT_EQ(budget.spent().tokens, kMax);
  EXPECT_EQ(budget.left(Resource::Tokens), 0);
}

TEST(Budget, EveryResourceHasAName) {
  for (const Resource resource : kResources) {
    EXPECT_FALSE(resource_name(resource).empty());
  }
}

}  // namespace
}  // namespace lamarck
