// Row-by-row predictions of a network that was evolved on a series.
//
// The network predicts how much the target changes over the next `horizon`
// rows; the prediction is the current target plus that change.

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

// The note "series" of a model file: what the model predicts and how far ahead.
struct SeriesNote {
  std::string target;
  std::size_t horizon = 1;  // Rows ahead.
  std::size_t lags = 4;     // Past changes that are inputs.
  std::size_t season = 0;   // Rows; 0: none.

  // "y in 3 rows": the name of the predicted column.
  std::string ahead_name() const;
  // "y in 3 rows, less y now": the name of the column the network is trained
  // on.
  std::string change_name() const;

  std::string to_text() const;  // JSON.
  static Result<SeriesNote> parse(std::string_view text);

  friend bool operator==(const SeriesNote&, const SeriesNote&) = default;
};

// Returns the input columns that are derived from the target: the latest
// row-to-row changes ("rise of y", "rise of y 1 row ago" and so on), and for a
// season how far the target is now from its values whole seasons before the
// predicted row, and from the mean of the last season. With a trend, the level
// soon leaves the range seen in training; differences do not.
//
// REQUIRES: `target` has no gaps.
std::vector<data::Column> series_inputs(const SeriesNote& note,
                                        std::span<const double> target);

struct SeriesPrediction {
  std::vector<double> now;    // The target, gaps filled.
  std::vector<double> ahead;  // Predicted at each row, including the last.
  std::vector<std::string> remarks;
};

// The rows are steps in time, oldest first. Fails if the table lacks the target
// or another column of the encoding, or if the target has no values.
Result<SeriesPrediction> predict_series(const evolution::Network& network,
                                        const data::TableEncoding& encoding,
                                        const SeriesNote& note,
                                        const data::Table& table);

// Replaces each gap (NaN) with the last value before it, and leading gaps with
// the first value. Returns the values unchanged if all are NaN.
std::vector<double> without_gaps(const std::vector<double>& values);

// Applies the metric to the predicted changes `guesses - now` and the actual
// changes `actual - now`.
//
// REQUIRES: the spans have the same length and are not empty.
double change_score(const data::Metric& metric, std::span<const double> now,
                    std::span<const double> guesses,
                    std::span<const double> actual);

}  // namespace lamarck::table
