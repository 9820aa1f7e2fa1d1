#include "lamarck/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace lamarck::optim {
namespace {

struct SchedulePoint {
  std::int64_t step;
  double rate;
};

void expect_points(const Schedule& schedule,
                   const std::vector<SchedulePoint>& points) {
  for (const SchedulePoint& point : points) {
    EXPECT_NEAR(schedule.rate(point.step), point.rate, 1e-6)
        << schedule.name() << " at " << point.step;
  }
}

TEST(Schedule, EveryKindFollowsItsCurve) {
  expect_points(Schedule("constant", {.rate = 0.5f}), {{0, 0.5}, {9999, 0.5}});
  expect_points(Schedule("linear", {.rate = 1, .floor = 0.5f, .steps = 10}),
                {{0, 1}, {5, 0.75}, {10, 0.5}, {20, 0.5}});
  expect_points(Schedule("step", {.rate = 1, .factor = 0.5f, .every = 10}),
                {{0, 1}, {9, 1}, {10, 0.5}, {25, 0.25}});
  expect_points(
      Schedule("exponential", {.rate = 1, .factor = 0.25f, .every = 10}),
      {{0, 1}, {5, 0.5}, {10, 0.25}});
  expect_points(Schedule("cosine", {.rate = 1, .steps = 10}),
                {{0, 1}, {5, 0.5}, {10, 0}, {30, 0}});
  expect_points(Schedule("one_cycle", {.rate = 1, .steps = 100, .rise = 0.5f}),
                {{0, 0.04}, {25, 0.52}, {50, 1}, {75, 0.500002}, {100, 4e-6}});
}

TEST(Schedule, CosineRestarts) {
  expect_points(
      Schedule("cosine", {.rate = 1, .steps = 10, .restart_growth = 1}),
      {{5, 0.5}, {10, 1}, {15, 0.5}, {1'000'000'000'000'005, 0.5}});
  expect_points(
      Schedule("cosine", {.rate = 1, .steps = 10, .restart_growth = 2}),
      {{5, 0.5}, {10, 1}, {20, 0.5}, {30, 1}, {50, 0.5}, {70, 1}});
}

TEST(Schedule, WarmsUpLinearly) {
  expect_points(Schedule("constant", {.rate = 1, .warmup = 4}),
                {{0, 0.2}, {1, 0.4}, {3, 0.8}, {4, 1}, {5, 1}});
  expect_points(Schedule("cosine", {.rate = 1, .warmup = 4, .steps = 10}),
                {{4, 1}, {9, 0.5}, {14, 0}});
}

TEST(Schedule, EveryKindStaysBetweenFloorAndRate) {
  for (const ScheduleKind& kind : schedule_kinds()) {
    const Schedule schedule(
        kind.name,
        {.rate = 0.5f, .floor = 0.01f, .steps = 300, .restart_growth = 2});
    float highest = 0;
    for (std::int64_t step = 0; step < 2000; ++step) {
      const float rate = schedule.rate(step);
      ASSERT_GE(rate, 0.01f) << kind.name << " at " << step;
      ASSERT_LE(rate, 0.5f) << kind.name << " at " << step;
      highest = std::max(highest, rate);
    }
    EXPECT_NEAR(highest, 0.5f, 1e-4) << kind.name;
    EXPECT_FALSE(kind.summary.empty());
  }
}

TEST(Schedule, SetsRateOfNextStep) {
  Graph graph;
  const Var w = graph.parameter({}, Init::ones(), "w");
  Sgd sgd({w}, 1);
  const Schedule schedule("step", {.rate = 0.5f, .factor = 0.5f, .every = 1});
  std::vector<float> rates;
  for (int i = 0; i < 3; ++i) {
    schedule.apply(sgd);
    sgd.minimize(w.square());
    rates.push_back(sgd.rate());
  }
  EXPECT_EQ(rates, (std::vector<float>{0.5f, 0.25f, 0.125f}));
}

TEST(Schedule, RejectsOptionsOutOfRange) {
  EXPECT_THROW(Schedule("cosinus"), LogicError);
  EXPECT_THROW(Schedule("constant", {.rate = -1}), LogicError);
  EXPECT_THROW(Schedule("constant", {.rate = std::nanf("")}), LogicError);
  EXPECT_THROW(Schedule("linear", {.rate = 1, .floor = 2}), LogicError);
  EXPECT_THROW(Schedule("cosine", {.steps = 0}), LogicError);
  EXPECT_THROW(Schedule("step", {.every = 0}), LogicError);
  EXPECT_THROW(Schedule("step", {.factor = 2}), LogicError);
  EXPECT_THROW(Schedule("one_cycle", {.rise = 1}), LogicError);
  EXPECT_THROW(Schedule("constant", {.warmup = -1}), LogicError);
  EXPECT_THROW(Schedule("constant").rate(-1), LogicError);
}

TEST(PlateauSchedule, LowersRateWhenLossStopsFalling) {
  Graph graph;
  Sgd sgd({graph.parameter({}, Init::ones(), "w")}, 1);
  PlateauSchedule plateau({.factor = 0.5f, .patience = 2, .floor = 0.3f});
  for (const float loss : {4.0f, 3.0f, 2.0f, 2.0f, 2.5f}) {
    EXPECT_FALSE(plateau.observe(loss, sgd));
  }
  EXPECT_EQ(sgd.rate(), 1);
  EXPECT_TRUE(plateau.observe(std::nanf(""), sgd));
  EXPECT_EQ(sgd.rate(), 0.5f);

  EXPECT_FALSE(plateau.observe(1, sgd));  // Better: restarts the wait.
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(plateau.observe(1, sgd));
  EXPECT_TRUE(plateau.observe(1, sgd));
  EXPECT_EQ(sgd.rate(), 0.3f);
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(plateau.observe(1, sgd));
}

TEST(PlateauSchedule, RejectsOptionsOutOfRange) {
  EXPECT_THROW(PlateauSchedule({.factor = 1}), LogicError);
  EXPECT_THROW(PlateauSchedule({.patience = -1}), LogicError);
  EXPECT_THROW(PlateauSchedule({.floor = -1}), LogicError);
}

}  // namespace
}  // namespace lamarck::optim
