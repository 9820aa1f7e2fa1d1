// When a formula counts as exact. All limits are normalized mean squared errors
// (NMSE) of doubles, whose own rounding gives about 1e-32 for each operation.

#pragma once

namespace lamarck::formula {

// Below this error only rounding is left: models are equal, however their
// errors compare.
inline constexpr double kRoundingNmse = 1e-29;
// The error at which two laws of different size are compared at least.
inline constexpr double kComparableNmse = 1e-28;
// A law is exact if its error is below this on the rows it was fitted to. The
// limit is strict, because long sums of smooth terms reach 1e-27 without being
// the law.
inline constexpr double kExactNmse = 3e-28;
// An exact law also has at most this error on rows beyond the fitted ones. No
// fit of one formula to data without noise needs to do better.
inline constexpr double kExactBeyondNmse = 1e-25;
// Up to this error a law may be exact, with rounding in its constants.
inline constexpr double kNearlyExactNmse = 1e-20;

}  // namespace lamarck::formula
