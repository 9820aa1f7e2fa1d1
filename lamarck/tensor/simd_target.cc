#include "lamarck/tensor/simd_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/simd_target.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lamarck/base/string_split.h"

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {

std::int64_t target_here() { return HWY_TARGET; }

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(target_here);

namespace {

// The lower-case name of a target. Highway's name for AVX-512 is AVX3.
std::string target_name(std::int64_t target) {
  std::string name = hwy::TargetName(target);
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name == "avx3" ? "avx512" : name;
}

// Splits a bit set into its targets, best first: in Highway, a better target
// has a lower bit.
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

// The compiled targets that the machine supports. Queried only once, before any
// target is chosen, because SupportedTargets() also resets the chosen target to
// the best one.
std::int64_t machine_targets() {
  static const std::int64_t kTargets = hwy::SupportedTargets() & HWY_TARGETS;
  return kTargets;
}

}  // namespace

std::string simd_target() {
  return target_name(HWY_DYNAMIC_DISPATCH(target_here)());
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
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return {};
    }
  }
  return Error(ErrorCode::InvalidArgument,
               fmt::format("The setting simd must be one of auto, {} on this "
                           "machine, got '{}'.",
                           join_text(supported_simd_targets(), ", "), name));
}

}  // namespace lamarck
#endif
