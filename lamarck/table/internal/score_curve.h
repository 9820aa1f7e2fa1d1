// Collects the score curve of the report from the events of a run.

#pragma once

#include <limits>
#include <vector>

#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

class CurveListener {
 public:
  // Listens until it is destroyed. `plan` must outlive the object.
  CurveListener(const Profiler<evolution::EvolutionEvent>& profiler,
                const TablePlan& plan);
  ~CurveListener();
  CurveListener(const CurveListener&) = delete;
  CurveListener& operator=(const CurveListener&) = delete;

  // Returns the whole curve. A resumed run sends no events for its earlier
  // part, so that part is rebuilt from the history of improvements.
  std::vector<ScorePoint> curve(
      const std::vector<evolution::GrowthRecord>& history) const;

 private:
  void listen(const evolution::EvolutionEvent& event);

  Profiler<evolution::EvolutionEvent> profiler_;
  const TablePlan& plan_;
  Remover remove_;
  double last_ = std::numeric_limits<double>::quiet_NaN();  // Latest score.
  std::vector<ScorePoint> curve_;
};

}  // namespace lamarck::table
