#include "lamarck/tensor/simd_target.h"

#include <hwy/targets.h>

#include <cstdint>

namespace lamarck {
namespace {

// Highway numbers targets so that a better one has a lower bit.
std::vector<std::string> names_of(std::int64_t targets) {
  std::vector<std::string> names;
  for (; targets != 0; targets &= targets - 1) {
    names.emplace_back(hwy::TargetName(targets & -targets));
  }
  return names;
}

}  // namespace

std::string simd_target() {
  return names_of(hwy::SupportedTargets() & HWY_TARGETS).front();
}

std::vector<std::string> compiled_simd_targets() {
  return names_of(HWY_TARGETS);
}

}  // namespace lamarck
