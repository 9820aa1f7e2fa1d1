// How a law with a very small error is tried: it is fitted again to the inner
// rows alone and must foretell the outer ones.

#pragma once

namespace lamarck::gp {

// Below this error a stand-in for the law is possible.
inline constexpr double kSuspicious = 1e-14;
// Share of the rows that are inner.
inline constexpr double kInnerShare = 0.6;
// The constants know the outer rows; each changes by this share before the fit.
inline constexpr double kNudge = 0.003;

}  // namespace lamarck::gp
