// What a run records for its report: scores over time, and predictions of
// held-out rows beside their actual values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lamarck::table {

struct ScorePoint {
  double seconds = 0;  // Since the run began.
  std::int64_t evaluations = 0;
  double score = 0;  // Score of the latest candidate.
  double best = 0;   // Best score so far.
};

// The confusion matrix of a classifier.
struct ConfusionCounts {
  std::vector<std::string> classes;
  std::vector<std::vector<std::size_t>> counts;  // By actual, then predicted.
};

// One row of a regression.
struct PredictedNumber {
  double actual = 0;
  double predicted = 0;
};

// The held-out part of a series, step by step.
struct PredictedSeries {
  std::vector<double> actual;
  std::vector<double> predicted;       // Same length as `actual`.
  std::vector<double> persistence;     // Predicts no change; may be empty.
  std::vector<double> autoregression;  // A linear model; may be empty.
  std::vector<double> seasonal;  // The value a season before; may be empty.
};

}  // namespace lamarck::table
