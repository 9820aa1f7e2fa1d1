// The mean and the standard deviation of a field over several runs.

#pragma once

#include "lamarck/base/json.h"

namespace lamarck::report {

struct RunMoments {
  double mean = 0;
  double deviation = 0;  // Population deviation: divides by n.
};

// Returns zeros if there are no runs.
//
// REQUIRES: every run has a number in `field`.
RunMoments run_moments(const Json& runs, const char* field);

}  // namespace lamarck::report
