#include "lamarck/environment/double_pole.h"

#include <cmath>
#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/environment/double_pole_motion.h"

namespace lamarck::environment {
namespace {

// The expected values were computed independently from the published equations.
TEST(DoublePole, MatchesPublishedEquations) {
  DoublePole poles;
  poles.set_state({0.1, -0.2, 0.05, 0.1, -0.03, 0.2});
  for (const double force : {3.0, -5.0, 10.0, -10.0, 0.5}) poles.step(force);
  constexpr DoublePole::State kWanted = {
      0.08226225389887859, -0.23262784670205566, 0.06047437402022946,
      0.22828809353648694, -0.07436156032481103, -0.06603039984093437};
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    EXPECT_NEAR(poles.state()[i], kWanted[i], 1e-12) << i;
  }
}

TEST(DoublePole, StaysUprightWithoutForce) {
  DoublePole poles;
  for (int i = 0; i < 1000; ++i) poles.step(0);
  EXPECT_FALSE(poles.is_done());
  EXPECT_EQ(poles.state(), DoublePole::State{});
}

TEST(DoublePole, FallsFromTiltedStartWithoutForce) {
  DoublePole poles;
  Rng rng(1);
  poles.reset(rng);
  while (!poles.is_done()) EXPECT_EQ(poles.step(0), 1);
  EXPECT_TRUE(poles.has_failed());
  EXPECT_GT(std::abs(poles.state()[4]), DoublePoleMotion::kLargestAngle);
  EXPECT_LT(poles.steps(), 1000);
  EXPECT_THROW(poles.step(0), LogicError);
}

TEST(DoublePole, ClampsForce) {
  DoublePole a;
  DoublePole b;
  a.step(10);
  b.step(1000);
  EXPECT_EQ(a.state(), b.state());
}

TEST(DoublePole, FailsBeyondEndOfTrack) {
  DoublePole poles;
  poles.set_state({2.41, 0, 0, 0, 0, 0});
  EXPECT_TRUE(poles.has_failed());
  poles.set_state({2.39, 0, 0, 0, 0, 0});
  EXPECT_FALSE(poles.has_failed());
}

}  // namespace
}  // namespace lamarck::environment
