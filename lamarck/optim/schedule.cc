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

// Interpolates along half a cosine as `share` goes from 0 to 1.
double cosine_interpolate(double from, double to, double share) {
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

// Loshchilov and Hutter (2017), equation 5. fmod keeps the loop short when all
// cycles have the same length.
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
  return cosine_interpolate(o.rate, o.floor, std::min(step / length, 1.0));
}

// Smith and Topin (2018): rises from 1/25 of the rate, then falls to almost 0.
// The factors 25 and 1e4 are PyTorch's defaults.
double one_cycle_rate(const ScheduleOptions& o, double step) {
  const double share = std::min(step / static_cast<double>(o.steps), 1.0);
  const double start = o.rate / 25;
  if (share < o.rise) return cosine_interpolate(start, o.rate, share / o.rise);
  return cosine_interpolate(o.rate, start / 1e4,
                            (share - o.rise) / (1 - o.rise));
}

constexpr std::array kKinds = {
    ScheduleKind{"constant", "keeps the rate constant", constant_rate},
    ScheduleKind{"linear", "decreases linearly to the floor over `steps` steps",
                 linear_rate},
    ScheduleKind{"step", "multiplies the rate by `factor` every `every` steps",
                 step_rate},
    ScheduleKind{"exponential", "like step, but decays smoothly at each step",
                 exponential_rate},
    ScheduleKind{
        "cosine",
        "decreases along half a cosine to the floor, with optional restarts",
        cosine_rate},
    ScheduleKind{"one_cycle", "rises to the rate, then falls to almost 0",
                 one_cycle_rate},
};

bool is_rate(float rate) { return std::isfinite(rate) && rate >= 0; }

void require_in_range(const ScheduleOptions& o) {
  REQUIRE(is_rate(o.rate) && is_rate(o.floor) && o.floor <= o.rate,
          "Schedule: rate and floor must be finite with 0 <= floor <= rate, "
          "got rate {} and floor {}.",
          o.rate, o.floor);
  REQUIRE(o.warmup >= 0 && o.restart_growth >= 0,
          "Schedule: warmup and restart_growth must not be negative, got {} "
          "and {}.",
          o.warmup, o.restart_growth);
  REQUIRE(o.steps > 0 && o.every > 0,
          "Schedule: steps and every must be at least 1, got {} and {}.",
          o.steps, o.every);
  REQUIRE(o.factor > 0 && o.factor <= 1,
          "Schedule: factor must be in (0, 1], got {}.", o.factor);
  REQUIRE(o.rise > 0 && o.rise < 1, "Schedule: rise must be in (0, 1), got {}.",
          o.rise);
}

}  // namespace

std::span<const ScheduleKind> schedule_kinds() { return kKinds; }

Schedule::Schedule(std::string_view kind, const ScheduleOptions& options)
    : kind_(&find_entry(schedule_kinds(), kind, "schedule")),
      options_(options) {
  require_in_range(options);
}

float Schedule::rate(std::int64_t step) const {
  REQUIRE(step >= 0, "Schedule::rate: step must not be negative, got {}.",
          step);
  const std::int64_t warmup = options_.warmup;
  const double after_warmup = kind_->rate(
      options_, static_cast<double>(std::max(step - warmup, std::int64_t{0})));
  const double bounded =
      std::max(after_warmup, static_cast<double>(options_.floor));
  // During warm-up the rate rises linearly and is never 0: the first step gets
  // 1 / (warmup + 1) of it.
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
          "PlateauSchedule: factor must be in (0, 1), got {}.", options.factor);
  REQUIRE(
      options.patience >= 0 && options.threshold >= 0 && is_rate(options.floor),
      "PlateauSchedule: patience, threshold and floor must not be negative, "
      "got {}, {} and {}.",
      options.patience, options.threshold, options.floor);
}

bool PlateauSchedule::observe(float loss, Optimizer& optimizer) {
  // While best_ is infinite, the relative threshold would be NaN.
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
