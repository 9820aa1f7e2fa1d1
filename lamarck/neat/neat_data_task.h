// A NEAT task that fits a dataset.

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/data/dataset.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::neat {

// Returns the task of predicting the targets of `data` from standardized
// inputs. It is solved when its measure reaches `goal`.
//
// Classes: one output for each class, or a single one for two. The predicted
// class is the largest output, or the second of two if the output is above 0.5.
// Fitness is (1 - mean squared error)^2, and the measure is "accuracy".
//
// Numbers: one output for the target, scaled to [0, 1]. Fitness is
// 1 / (1 + mean squared error / variance), and the measure is "r2".
//
// With `test`, the measure is that of its rows and is called "accuracy on
// held-out rows" or "r2 on held-out rows"; whether the task is solved still
// depends on `data`.
//
// Fails if all targets are equal.
Result<NeatBenchmark> data_benchmark(const data::Dataset& data, double goal,
                                     const data::Dataset* test = nullptr);

}  // namespace lamarck::neat
