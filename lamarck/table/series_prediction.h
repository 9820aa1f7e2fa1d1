// What a network that was evolved on a series says about a series, row by row.
//
// It is asked how the target changes from now to some rows ahead; what it
// foretells is the target now, plus that.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/network.h"

namespace lamarck::table {

// What a model file tells of its series, as the note "series".
struct SeriesNote {
  std::string target;
  std::size_t horizon = 1;  // Rows ahead.

  // "y in 3 rows"
  std::string ahead_name() const;
  // "y in 3 rows, less y now"
  std::string change_name() const;

  std::string to_text() const;  // JSON.
  static Result<SeriesNote> parse(std::string_view text);

  friend bool operator==(const SeriesNote&, const SeriesNote&) = default;
};

// How the target changed from row to row lately, as columns "rise of y", "rise
// of y 1 row ago": a trend carries its level away from all that was learnt, but
// not these. `target` has no gaps.
std::vector<data::Column> recent_changes(const std::string& name,
                                         std::span<const double> target);

struct SeriesPrediction {
  std::vector<double> now;    // The target, gaps filled.
  std::vector<double> ahead;  // For each row, what it will be; also the last.
  std::vector<std::string> remarks;
};

// The rows are steps in time, the first is the beginning. Fails if the table
// lacks the target or another column, or has no value of the target.
Result<SeriesPrediction> predict_series(const evolution::Network& network,
                                        const data::TableEncoding& encoding,
                                        const SeriesNote& note,
                                        const data::Table& table);

// Gaps become the last value before them, at the beginning the first after; all
// NaN stays so.
std::vector<double> without_gaps(const std::vector<double>& values);

// How well the changes from `now` to `guesses` fit those to `actual`. All are
// as long, and not empty.
double change_score(const data::Metric& metric, std::span<const double> now,
                    std::span<const double> guesses,
                    std::span<const double> actual);

}  // namespace lamarck::table
