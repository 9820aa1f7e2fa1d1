// Columns of the user's table that are written before the predictions.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/data/table.h"

namespace lamarck::cli {

struct KeptColumns {
  bool is_all = false;
  bool is_ids = false;             // Those named like ids.
  std::vector<std::string> names;  // If neither.
};

// Parses "all", "none", or names separated by commas; without a value, ids.
Result<KeptColumns> parse_kept_columns(const std::optional<std::string>& list);

// Returns the columns of the CSV text that are kept, exactly as written, and
// then the predictions. Fails for an unknown column, and if a kept column has
// the name of a column of predictions.
Result<data::Table> with_kept_columns(const KeptColumns& kept,
                                      std::string_view csv,
                                      const data::Table& predictions);

// One object per row, with null for a missing cell.
Json rows_json(const data::Table& table);

}  // namespace lamarck::cli
