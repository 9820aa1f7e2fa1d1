// The HTML report of a run that evolved a network.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/report/report_page.h"
#include "lamarck/table/model_explanation.h"
#include "lamarck/table/prediction_record.h"

namespace lamarck::report {

struct GrowthStep {
  std::int64_t generation = 0;
  std::string what;        // The mutation, such as "add_node".
  std::int64_t nodes = 0;  // Hidden nodes.
  std::int64_t edges = 0;
  double score = 0;
};

// The content of the page. Empty parts are left out.
struct RunReport {
  std::string title;
  std::string subtitle;                // A line below the title.
  std::vector<ReportFact> highlights;  // Two to four, shown large.
  std::vector<ReportFact> facts;
  std::string score_name = "score";      // Such as "accuracy".
  std::optional<double> max_score;       // Where the axis of the score ends.
  std::vector<table::ScorePoint> curve;  // Sorted by time.
  std::vector<GrowthStep> growth;
  std::string network_svg;  // Embedded without escaping, so it is trusted.
  table::ConfusionCounts confusion;
  std::string target_name = "target";  // For numbers and series.
  std::vector<table::PredictedNumber> numbers;
  table::PredictedSeries series;
  table::ModelExplanation explanation;
  std::vector<std::string> remarks;
};

// Returns a complete page (see report_page.h). Text is escaped and long lists
// are thinned out. Throws LogicError if the confusion counts are not square or
// the lines of the series differ in length.
std::string report_html(const RunReport& report);

}  // namespace lamarck::report
