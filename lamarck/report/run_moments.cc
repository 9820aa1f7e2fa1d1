#include "lamarck/report/run_moments.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace lamarck::report {

RunMoments run_moments(const Json& runs, const char* field) {
  if (runs.empty()) return {};
  const auto count = static_cast<double>(runs.size());
  RunMoments result;
  for (const Json& run : runs) {
    result.mean += run.at(field).get<double>() / count;
  }
  // A second pass over the differences avoids cancellation.
  double squares = 0;
  for (const Json& run : runs) {
    squares += std::pow(run.at(field).get<double>() - result.mean, 2);
  }
  result.deviation = std::sqrt(squares / count);
  return result;
}

}  // namespace lamarck::report
