// Exports of runs for experiment trackers.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/store/journal.h"

namespace lamarck::runs {

// The numbers of one event "progress".
struct SeriesPoint {
  std::int64_t time = 0;  // Milliseconds since 1970.
  std::int64_t step = 0;  // The generation, or the evaluations without one.
  std::map<std::string, double> values;  // "score", "loss", ...
};

Result<std::vector<SeriesPoint>> read_run_series(store::Journal& journal,
                                                 const std::string& run);

// A column for each value; empty where a point lacks it.
std::string series_csv(const std::vector<SeriesPoint>& series);

// Writes the run into MLflow's file store, experiment 0, and returns the
// folder of the run. A second export replaces the first.
Result<std::string> export_mlflow(const std::string& folder, const RunView& run,
                                  const std::vector<SeriesPoint>& series);

// Writes FOLDER/RUN/events.out.tfevents.* and returns its path.
Result<std::string> export_tensorboard(const std::string& folder,
                                       const RunView& run,
                                       const std::vector<SeriesPoint>& series);

}  // namespace lamarck::runs
