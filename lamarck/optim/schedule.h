// How the learning rate changes while training goes on.
//
//   const Schedule schedule("cosine", {.rate = 3e-3f, .steps = 10'000});
//   for (...) { schedule.apply(adam); adam.minimize(loss); }

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lamarck/optim/optimizer.h"

namespace lamarck::optim {

// Each kind says which it reads; all read `rate`, `floor` and `warmup`.
struct ScheduleOptions {
  float rate = 1e-3f;         // The highest.
  float floor = 0;            // No lower than this after the warm-up.
  std::int64_t warmup = 0;    // Steps of a straight rise to the beginning.
  std::int64_t steps = 1000;  // Without the warm-up; what follows is constant.
  float factor = 0.1f;        // By which the rate is multiplied,
  std::int64_t every = 100;   // whenever so many steps are over.
  // Of cosine: each time `steps` are over it begins again, and the next turn is
  // so many times as long; 0 means that it does not.
  std::int64_t restart_growth = 0;
  float rise = 0.3f;  // Of one_cycle: the share of the steps that go up.
};

struct ScheduleKind {
  std::string_view name;
  std::string_view summary;
  // Without warm-up and floor; `step` counts from 0.
  double (*rate)(const ScheduleOptions& options, double step) = nullptr;
};

// The list: constant, linear, step, exponential, cosine, one_cycle. What
// depends on the loss is a PlateauSchedule.
std::span<const ScheduleKind> schedule_kinds();

// A function of the step alone, so that a resumed training goes on in it.
class Schedule {
 public:
  // Throws LogicError, with the nearest name, if there is no such kind, and if
  // an option is out of range.
  explicit Schedule(std::string_view kind, const ScheduleOptions& options = {});

  std::string_view name() const { return kind_->name; }
  // Of the step before which so many were taken.
  float rate(std::int64_t step) const;
  void apply(Optimizer& optimizer) const;  // Call it before each step.

 private:
  const ScheduleKind* kind_;
  ScheduleOptions options_;
};

struct PlateauOptions {
  float factor = 0.1f;         // By which the rate is multiplied,
  std::int64_t patience = 10;  // when so many losses in a row were no better
  float threshold = 1e-4f;     // by at least this share of the best one.
  float floor = 0;
};

// Lowers the rate when the loss stops falling.
class PlateauSchedule {
 public:
  explicit PlateauSchedule(const PlateauOptions& options = {});

  // Notes a loss, such as an epoch's over held-out data; a NaN is no better.
  // Returns whether the rate was lowered.
  bool observe(float loss, Optimizer& optimizer);

 private:
  PlateauOptions options_;
  float best_;
  std::int64_t waited_ = 0;
};

}  // namespace lamarck::optim
