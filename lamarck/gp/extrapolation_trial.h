// Settings of the extrapolation test. A formula with a very small error is
// fitted again to the inner rows only and must predict the outer ones.

#pragma once

namespace lamarck::gp {

// Formulas with a smaller error are tested: on few rows, a formula that is not
// the law can be as accurate as the law itself.
inline constexpr double kSuspicious = 1e-14;
// The share of the rows that are inner rows.
inline constexpr double kInnerShare = 0.6;
// The constants were fitted to the outer rows too, so each one is changed by
// this share before the fit.
inline constexpr double kPerturbation = 0.003;

}  // namespace lamarck::gp
