// Rows to learn from as a task for NEAT.

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/data/dataset.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {

// To predict the targets of `data`; inputs are standardised.
//
// Classes: one output for each, or a single one for two; fitness is
// (1 - mean squared error)^2, and `goal` is the share of rows that are told
// right (the largest output, or above 0.5 for the second of two). A number: one
// output for the target brought to 0 .. 1; fitness is 1 / (1 + squared error /
// variance), and `goal` is the share of variance explained, R squared. The
// task's measure is "accuracy" or "r2". Fails if all targets are the same.
Result<NeatBenchmark> data_benchmark(const data::Dataset& data, double goal);

}  // namespace lamarck::neat
