#include "lamarck/evolution/convergence.h"

#include <gtest/gtest.h>

namespace lamarck::evolution {
namespace {

TEST(ConvergenceDetector, ConvergesWhenLossIsSteadyForPatienceEpochs) {
  ConvergenceDetector detector({.patience = 3});
  EXPECT_FALSE(detector.is_converged(1.0, 1));
  EXPECT_FALSE(detector.is_converged(0.5, 1));
  EXPECT_FALSE(detector.is_converged(0.5, 1));
  EXPECT_TRUE(detector.is_converged(0.50001, 1));
}

TEST(ConvergenceDetector, ComparesSpreadRelativeToLoss) {
  ConvergenceDetector detector({.loss_tolerance = 0.1, .patience = 2});
  EXPECT_FALSE(detector.is_converged(1e-3, 1));
  EXPECT_FALSE(detector.is_converged(0.8e-3, 1));
  EXPECT_TRUE(detector.is_converged(0.79e-3, 1));
}

TEST(ConvergenceDetector, ConvergesAtOnceWhenGradientVanishes) {
  ConvergenceDetector detector({});
  EXPECT_TRUE(detector.is_converged(5.0, 1e-6));
}

TEST(ConvergenceDetector, ResetClearsHistory) {
  ConvergenceDetector detector({.patience = 2});
  EXPECT_FALSE(detector.is_converged(1, 1));
  detector.reset();
  EXPECT_FALSE(detector.is_converged(1, 1));
  EXPECT_TRUE(detector.is_converged(1, 1));
}

}  // namespace
}  // namespace lamarck::evolution
