// What a model has learned, measured on rows that it was not trained on.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/network.h"

namespace lamarck::table {

// How much worse the metric becomes, in its own units for the standardized
// target, if the values of a column are shuffled between the rows.
struct InputImportance {
  std::string column;
  double loss = 0;  // At or below 0: the column does not help.
};

// The mean prediction if all rows had the same value of one column.
struct PartialDependence {
  std::string column;
  std::vector<double> values;  // Of the column, ascending.
  // One curve for a number, in the units of the table; for classes the
  // probability of each, at most three, the most frequent ones.
  struct Curve {
    std::string name;
    std::vector<double> means;
  };
  std::vector<Curve> curves;
};

// Held-out rows by the probability of their predicted class.
struct ConfidenceBand {
  double low = 0;   // Probabilities from this...
  double high = 0;  // ... to this one.
  std::size_t rows = 0;
  double mean_probability = 0;
  double accuracy = 0;
};

struct ModelExplanation {
  std::vector<InputImportance> importance;    // Most important first.
  std::vector<PartialDependence> dependence;  // Of the top numeric columns.
  std::vector<ConfidenceBand> confidence;     // Empty for numbers.
};

// `rows` are held-out rows from the encoding's `dataset`; large sets are
// thinned out. Deterministic.
ModelExplanation explain_model(const evolution::Network& network,
                               const data::TableEncoding& encoding,
                               const data::Metric& metric,
                               const data::Dataset& rows);

}  // namespace lamarck::table
