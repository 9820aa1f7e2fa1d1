#include "lamarck/tensor/simd_target.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "lamarck/base/string_split.h"

namespace lamarck {
namespace {

// Highway calls AVX-512 AVX3.
std::string target_name(std::int64_t target) {
  std::string name = hwy::TargetName(target);
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name == "avx3" ? "avx512" : name;
}

// Highway numbers targets so that a better one has a lower bit.
std::vector<std::int64_t> split_targets(std::int64_t targets) {
  std::vector<std::int64_t> list;
  for (; targets != 0; targets &= targets - 1) {
    list.push_back(targets & -targets);
  }
  return list;
}

std::vector<std::string> target_names(std::int64_t targets) {
  std::vector<std::string> names;
  for (const std::int64_t target : split_targets(targets)) {
    names.push_back(target_name(target));
  }
  return names;
}

// What the machine has, whatever was chosen: disabled targets are not listed,
// so nothing is disabled while we look.
std::int64_t machine_targets() {
  static const std::int64_t kTargets = [] {
    hwy::DisableTargets(0);
    return hwy::SupportedTargets() & HWY_TARGETS;
  }();
  return kTargets;
}

}  // namespace

std::string simd_target() {
  return target_names(hwy::SupportedTargets() & HWY_TARGETS).front();
}

std::vector<std::string> compiled_simd_targets() {
  return target_names(HWY_TARGETS);
}

std::vector<std::string> supported_simd_targets() {
  return target_names(machine_targets());
}

Result<void> choose_simd_target(std::string_view name) {
  for (const std::int64_t target : split_targets(machine_targets())) {
    if (name == "auto" || name == target_name(target)) {
      hwy::DisableTargets(target - 1);  // All better ones.
      return {};
    }
  }
  return Error(ErrorCode::InvalidArgument,
               fmt::format("The instruction set must be one that this machine "
                           "has, got '{}'; use auto, {}.",
                           name, join_text(supported_simd_targets(), ", ")));
}

}  // namespace lamarck
