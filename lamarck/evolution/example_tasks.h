// The example tasks on which evolution is benchmarked.

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
// 194 points on two interleaved spirals of three turns each (Lang and Witbrock
// 1988), within [-2, 2].
Examples two_spirals();
// `count` bit sequences with lengths from `shortest` to `longest`, padded. The
// target at the last bit is 1 if the number of ones is odd.
Examples parity_sequences(std::size_t count, std::size_t shortest,
                          std::size_t longest, Rng& rng);

// One example: the run, and a test of its result. The test of parity uses
// sequences that the run has not seen.
struct ExampleTask {
  std::string_view name;
  std::string_view what;  // A short description for people.
  Evolution (*make)(std::uint64_t seed);
  bool (*is_right)(const Network& network);
};
std::span<const ExampleTask> example_tasks();
Result<ExampleTask> example_task_named(std::string_view name);

}  // namespace lamarck::evolution
