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
  double score = 0;  // Of the network just tried.
  double best = 0;   // Of the best so far.
};

// Classes that were told apart.
struct ConfusionCounts {
  std::vector<std::string> classes;
  std::vector<std::vector<std::size_t>> counts;  // By actual, then predicted.
};

// A number that was predicted.
struct PredictedNumber {
  double actual = 0;
  double predicted = 0;
};

// A series that was predicted, step by step.
struct PredictedSeries {
  std::vector<double> actual;
  std::vector<double> predicted;    // As many.
  std::vector<double> persistence;  // The guess that nothing changes; or none.
};

}  // namespace lamarck::table
