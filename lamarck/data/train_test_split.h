// Splits a data set into training rows and test rows.

#pragma once

#include <cstdint>

#include "lamarck/base/rng.h"
#include "lamarck/data/dataset.h"

namespace lamarck::data {

struct SplitOptions {
  double test_fraction = 0.25;  // Above 0 and below 1.
  std::uint64_t seed = 0;
  // Gives each class the same share in both parts, to within one row. Targets
  // must then be classes, as `class_indices` accepts them.
  bool stratify = false;
};

struct TrainTest {
  Dataset train;
  Dataset test;
};

// Assigns each row to one of the two parts, in random order; both get at least
// one row. REQUIRES: at least two rows.
TrainTest train_test_split(const Dataset& dataset, SplitOptions options = {});

// The same with the random generator as an argument, not stratified.
TrainTest split(const Dataset& dataset, double test_fraction, Rng& rng);

}  // namespace lamarck::data
