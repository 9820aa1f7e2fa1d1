// The tasks that evolution is measured by.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

// Exclusive or of two inputs: four rows.
Examples xor_examples();
// 194 points on two spirals that wind around each other three times (Lang and
// Witbrock 1988), within [-2, 2].
Examples two_spirals();
// `count` sequences of bits, `shortest` to `longest` long, padded; the target
// at the last bit is whether the number of ones is odd.
Examples parity_sequences(std::size_t count, std::size_t shortest,
                          std::size_t longest, Rng& rng);

// One of them as a whole: what to run, and whether the result is right on what
// it has not seen.
struct ExampleTask {
  std::string_view name;
  std::string_view what;
  Evolution (*make)(std::uint64_t seed);
  bool (*is_right)(const Network& network);
};
std::span<const ExampleTask> example_tasks();
Result<ExampleTask> example_task_named(std::string_view name);

}  // namespace lamarck::evolution
