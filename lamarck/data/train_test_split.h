// Rows to learn from and rows to be judged by.

#pragma once

#include <cstdint>

#include "lamarck/base/rng.h"
#include "lamarck/data/dataset.h"

namespace lamarck::data {

struct SplitOptions {
  double test_fraction = 0.25;  // Above 0 and below 1.
  std::uint64_t seed = 0;
  // Each class has the same share in both parts, to within one row. Targets are
  // then classes, as `class_indices` takes them.
  bool stratify = false;
};

struct TrainTest {
  Dataset train;
  Dataset test;
};

// Each row goes into one of the two, in random order; both get one at least.
// REQUIRES: two rows or more.
TrainTest train_test_split(const Dataset& dataset, SplitOptions options = {});

// Likewise with chance as an argument, not stratified.
TrainTest split(const Dataset& dataset, double test_fraction, Rng& rng);

}  // namespace lamarck::data
