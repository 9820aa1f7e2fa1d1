// Searches for network designs by cross-validation.
//
// Each design is trained once per fold, on the rows outside the fold. The
// networks' outputs for the rows they were not trained on say how good the
// design is, so each row is evidence. The trained copies become members of an
// ensemble.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/evolution/training.h"
#include "lamarck/table/ensemble/spline_inputs.h"
#include "lamarck/table/ensemble/table_design.h"

namespace lamarck::table {

// A design, or the topology of an evolved network, trained on all folds.
struct FoldCandidate {
  TableDesign design;  // Its origin is "evolved" for an evolved topology.
  std::vector<std::size_t> inputs;          // Columns that it uses.
  std::vector<SplineInput> splines;         // Those that it uses.
  std::vector<evolution::Network> members;  // One per fold.
  Tensor logits;    // [rows, outputs], each row by the member of its fold.
  double loss = 0;  // Of `logits`.
  // By how much the loss grows if the values of a column are shuffled; 0 for
  // unused columns. Empty until it is needed.
  std::vector<double> importance;
};

struct FoldOutcome;

struct FoldSearchOptions {
  std::uint64_t seed = 0;
  std::size_t threads = 0;       // Does not affect results.
  std::size_t max_designs = 16;  // At least 1.
  // Whether the rows are steps in time. Then the folds are blocks, and a design
  // is trained on rows that are more than `gap` rows away from the fold.
  bool is_series = false;
  std::size_t gap = 0;
  // The search ends after this many designs without a better ensemble.
  std::size_t flat_designs = 24;
  std::function<bool()> should_stop;  // Polled while training. May be empty.
  // Called after each generation; the search ends if it returns true. May be
  // empty.
  std::function<bool(const FoldOutcome& so_far)> is_good_enough;
};

struct FoldOutcome {
  // The best candidates, best first. Empty if none was trained in time.
  std::vector<FoldCandidate> candidates;
  // How often each candidate counts in the ensemble.
  std::vector<std::size_t> counts;
  Tensor outputs;   // Out-of-fold outputs of the ensemble.
  double loss = 0;  // Theirs.
  std::size_t folds = 0;
  std::int64_t designs = 0;  // Trained in full.
  std::int64_t steps = 0;    // Gradients computed.
  std::string reason;        // "good", "designs", "flat" or "stopped".
};

// `labels` has the class of each row, or is empty. If `evolved` is given, its
// topology is one of the first candidates.
FoldOutcome search_folds(const evolution::Examples& known,
                         std::span<const std::size_t> labels,
                         evolution::Loss head,
                         const std::optional<evolution::Network>& evolved,
                         const FoldSearchOptions& options);

}  // namespace lamarck::table
