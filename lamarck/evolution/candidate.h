// A candidate: networks that are trained, scored and compared.

#pragma once

#include <limits>
#include <string>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// A team of networks with the result of its training.
struct Candidate {
  std::vector<Network> networks;
  double loss = std::numeric_limits<double>::infinity();
  double score = -std::numeric_limits<double>::infinity();
  bool reaches_target = false;
  std::string mutation = "begin";  // The one that made it.
  // For reports; not part of checkpoints.
  double parent_loss = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace lamarck::evolution
