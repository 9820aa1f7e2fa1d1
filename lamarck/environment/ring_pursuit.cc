#include "lamarck/environment/ring_pursuit.h"

#include <algorithm>
#include <cmath>

namespace lamarck::environment {
namespace {

constexpr double kCatch = 0.05;  // Distance at which the evader is caught.

}  // namespace

void RingPursuit::Runner::move(double push) {
  speed += std::clamp(push, -1.0, 1.0) * max_push;
  speed = std::clamp(speed, -max_speed, max_speed);
  place += speed;
}

// The shorter way, from -1 to 1; the ring has length 2.
double RingPursuit::distance(const Runner& from, const Runner& to) {
  return std::remainder(to.place - from.place, 2.0);
}

RingPursuit::View RingPursuit::view(const Runner& self, const Runner& other) {
  constexpr double kSpeedScale = 10;
  return {static_cast<float>(distance(self, other)),
          static_cast<float>(kSpeedScale * self.speed),
          static_cast<float>(kSpeedScale * other.speed), 1.0f};
}

RingPursuit::RingPursuit(Rng& rng) { evader_.place = rng.uniform(0.3, 1.7); }

RingPursuit::View RingPursuit::pursuer_view() const {
  return view(pursuer_, evader_);
}

RingPursuit::View RingPursuit::evader_view() const {
  return view(evader_, pursuer_);
}

void RingPursuit::step(double pursuer_push, double evader_push) {
  pursuer_.move(pursuer_push);
  evader_.move(evader_push);
  ++steps_;
}

bool RingPursuit::is_done() const {
  return steps_ >= kMaxSteps || std::abs(distance(pursuer_, evader_)) <= kCatch;
}

double RingPursuit::pursuer_score() const {
  // The share of closeness distinguishes pursuers that never catch the evader.
  constexpr double kCloseness = 0.1;
  const double saved = 1 - static_cast<double>(steps_) / kMaxSteps;
  const double near = 1 - std::abs(distance(pursuer_, evader_));
  return (1 - kCloseness) * saved + kCloseness * near;
}

}  // namespace lamarck::environment
