// What a run found, as one page for a browser.
//
// The page needs nothing else: styles and pictures are within it, there is no
// script, and it asks for no address. It follows the reader's choice of light
// or dark and fits a phone.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/report/report_page.h"
#include "lamarck/table/prediction_record.h"

namespace lamarck::report {

struct GrowthStep {
  std::int64_t generation = 0;
  std::string what;  // "a node was split into the edge 3 to 7".
  std::int64_t nodes = 0;
  std::int64_t edges = 0;
  double score = 0;
};

// What is empty has no place on the page.
struct RunReport {
  std::string title;
  std::string subtitle;                // One sentence below the title.
  std::vector<ReportFact> highlights;  // Two to four, shown large.
  std::vector<ReportFact> facts;
  std::string score_name = "score";      // As in "accuracy".
  std::vector<table::ScorePoint> curve;  // In the order of time.
  std::vector<GrowthStep> growth;
  std::string network_svg;  // Trusted: it is embedded as it is.
  table::ConfusionCounts confusion;
  std::string target_name = "target";  // Of numbers and series.
  std::vector<table::PredictedNumber> numbers;
  table::PredictedSeries series;
  std::vector<std::string> remarks;
};

// A complete HTML page, which is well-formed XML too. All words are escaped.
// Long lists are thinned out, so that the page stays small. Throws LogicError
// if lengths do not fit: the counts of the confusion, the lines of the series.
std::string report_html(const RunReport& report);

}  // namespace lamarck::report
