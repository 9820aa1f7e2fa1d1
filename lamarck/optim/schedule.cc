#include "lamarck/optim/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "lamarck/base/ensure.h"
#include "lamarck/base/named_entry.h"

namespace lamarck::optim {
namespace {

// Along half a cosine, from one number to another, as `share` goes from 0 to 1.
double eased(double from, double to, double share) {
  return to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

double constant_rate(const ScheduleOptions& o, double) { return o.rate; }

double linear_rate(const ScheduleOptions& o, double step) {
  const double share = std::min(step / static_cast<double>(o.steps), 1.0);
  return o.rate + (o.floor - o.rate) * share;
}

double step_rate(const ScheduleOptions& o, double step) {
  return o.rate *
         std::pow(o.factor, std::floor(step / static_cast<double>(o.every)));
}

double exponential_rate(const ScheduleOptions& o, double step) {
  return o.rate * std::pow(o.factor, step / static_cast<double>(o.every));
}

// Loshchilov and Hutter (2017), equation 5.
double cosine_rate(const ScheduleOptions& o, double step) {
  auto length = static_cast<double>(o.steps);
  while (o.restart_growth > 0 && step >= length) {
    if (o.restart_growth == 1) {
      step = std::fmod(step, length);
    } else {
      step -= length;
      length *= static_cast<double>(o.restart_growth);
    }
  }
  return eased(o.rate, o.floor, std::min(step / length, 1.0));
}

// Smith and Topin (2018): up from a 25th of the rate, then down to nothing.
double one_cycle_rate(const ScheduleOptions& o, double step) {
  const double share = std::min(step / static_cast<double>(o.steps), 1.0);
  const double start = o.rate / 25;
  if (share < o.rise) return eased(start, o.rate, share / o.rise);
  return eased(o.rate, start / 1e4, (share - o.rise) / (1 - o.rise));
}

constexpr std::array kKinds = {
    ScheduleKind{"constant", "always the same", constant_rate},
    ScheduleKind{"linear", "straight down to the floor in `steps`",
                 linear_rate},
    ScheduleKind{"step", "times `factor` after `every` so many", step_rate},
    ScheduleKind{"exponential", "as step, but a little in each",
                 exponential_rate},
    ScheduleKind{"cosine",
                 "half a cosine down to the floor, perhaps with restarts",
                 cosine_rate},
    ScheduleKind{"one_cycle", "up to the rate, then down to nothing",
                 one_cycle_rate},
};

bool is_rate(float rate) { return std::isfinite(rate) && rate >= 0; }

void require_in_range(const ScheduleOptions& o) {
  REQUIRE(is_rate(o.rate) && is_rate(o.floor) && o.floor <= o.rate,
          "Schedule: 0 <= floor <= rate, and both are finite");
  REQUIRE(o.warmup >= 0 && o.restart_growth >= 0,
          "Schedule: warmup and restart_growth are not negative");
  REQUIRE(o.steps > 0 && o.every > 0, "Schedule: steps and every are positive");
  REQUIRE(o.factor > 0 && o.factor <= 1, "Schedule: 0 < factor <= 1");
  REQUIRE(o.rise > 0 && o.rise < 1, "Schedule: 0 < rise < 1");
}

}  // namespace

std::span<const ScheduleKind> schedule_kinds() { return kKinds; }

Schedule::Schedule(std::string_view kind, const ScheduleOptions& options)
    : kind_(&entry_named(schedule_kinds(), kind, "schedule")),
      options_(options) {
  require_in_range(options);
}

float Schedule::rate(std::int64_t step) const {
  REQUIRE(step >= 0, "Schedule::rate: steps count from 0");
  const std::int64_t warmup = options_.warmup;
  const double later = kind_->rate(
      options_, static_cast<double>(std::max(step - warmup, std::int64_t{0})));
  const double bounded = std::max(later, static_cast<double>(options_.floor));
  if (step >= warmup) return static_cast<float>(bounded);
  return static_cast<float>(bounded * static_cast<double>(step + 1) /
                            static_cast<double>(warmup + 1));
}

void Schedule::apply(Optimizer& optimizer) const {
  optimizer.set_rate(rate(optimizer.steps_taken()));
}

PlateauSchedule::PlateauSchedule(const PlateauOptions& options)
    : options_(options), best_(std::numeric_limits<float>::infinity()) {
  REQUIRE(options.factor > 0 && options.factor < 1,
          "PlateauSchedule: 0 < factor < 1");
  REQUIRE(
      options.patience >= 0 && options.threshold >= 0 && is_rate(options.floor),
      "PlateauSchedule: patience, threshold and floor are not negative");
}

bool PlateauSchedule::observe(float loss, Optimizer& optimizer) {
  const bool is_better =
      std::isinf(best_) ? loss < best_
                        : loss < best_ - options_.threshold * std::abs(best_);
  if (is_better) {
    best_ = loss;
    waited_ = 0;
    return false;
  }
  if (++waited_ <= options_.patience) return false;
  waited_ = 0;
  const float lower =
      std::max(optimizer.rate() * options_.factor, options_.floor);
  if (lower >= optimizer.rate()) return false;
  optimizer.set_rate(lower);
  return true;
}

}  // namespace lamarck::optim
