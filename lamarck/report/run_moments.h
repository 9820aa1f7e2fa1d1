// The mean and the standard deviation of a field over several runs.

#pragma once

#include "lamarck/base/json.h"

namespace lamarck::report {

struct RunMoments {
  double mean = 0;
  double deviation = 0;
};

// Both are 0 without runs. REQUIRES: every run has the field as a number.
RunMoments run_moments(const Json& runs, const char* field);

}  // namespace lamarck::report
