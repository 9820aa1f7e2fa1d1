// Learning-rate schedules.
//
//   const Schedule schedule("cosine", {.rate = 3e-3f, .steps = 10'000});
//   for (...) { schedule.apply(adam); adam.minimize(loss); }

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lamarck/optim/optimizer.h"

namespace lamarck::optim {

// Every kind reads `rate`, `floor` and `warmup`. `steps` is for linear, cosine
// and one_cycle; `factor` and `every` are for step and exponential.
struct ScheduleOptions {
  float rate = 1e-3f;         // The highest rate.
  float floor = 0;            // The lowest rate after the warm-up.
  std::int64_t warmup = 0;    // Steps of a linear rise at the start.
  std::int64_t steps = 1000;  // Length without warm-up; constant afterwards.
  float factor = 0.1f;        // The rate is multiplied by `factor`
  std::int64_t every = 100;   // every `every` steps.
  // For cosine: restarts after `steps` steps, and each cycle is this many times
  // as long as the previous one. 0 means no restarts.
  std::int64_t restart_growth = 0;
  float rise = 0.3f;  // For one_cycle: the fraction of the steps that rise.
};

struct ScheduleKind {
  std::string_view name;
  std::string_view summary;
  // The rate before warm-up and floor are applied; `step` counts from 0.
  double (*rate)(const ScheduleOptions& options, double step) = nullptr;
};

// All kinds: constant, linear, step, exponential, cosine, one_cycle. For a rate
// that depends on the loss, see PlateauSchedule.
std::span<const ScheduleKind> schedule_kinds();

// A function of the step alone, so that resumed training continues it exactly.
class Schedule {
 public:
  // Throws LogicError if the kind is unknown (suggesting the nearest name) or
  // an option is out of range.
  explicit Schedule(std::string_view kind, const ScheduleOptions& options = {});

  std::string_view name() const { return kind_->name; }
  // The rate for the step that follows `step` completed steps.
  float rate(std::int64_t step) const;
  void apply(Optimizer& optimizer) const;  // Call this before each step.

 private:
  const ScheduleKind* kind_;
  ScheduleOptions options_;
};

struct PlateauOptions {
  float factor = 0.1f;         // The rate is multiplied by this
  std::int64_t patience = 10;  // after more than this many losses in a row
  float threshold = 1e-4f;     // without this relative improvement,
  float floor = 0;             // but does not fall below this.
};

// Lowers the rate when the loss stops falling.
class PlateauSchedule {
 public:
  explicit PlateauSchedule(const PlateauOptions& options = {});

  // Records a loss, such as the validation loss of an epoch; NaN counts as no
  // improvement. Returns whether it lowered the rate.
  bool observe(float loss, Optimizer& optimizer);

 private:
  PlateauOptions options_;
  float best_;
  std::int64_t waited_ = 0;  // Losses in a row without improvement.
};

}  // namespace lamarck::optim
