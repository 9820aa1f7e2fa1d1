// The table that a run learned from, so that a page can show how well its
// result fits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/data/table.h"
#include "lamarck/runs/run_catalog.h"

namespace lamarck::runs {

struct RunTable {
  data::Table table;
  std::string target;
};

// Reads the file that run.json in the folder of the run names. Fails with
// FailedPrecondition if it is gone, not a regular file or larger than
// kMaxRunTable.
Result<RunTable> read_run_table(const RunView& run);
inline constexpr std::size_t kMaxRunTable = std::size_t{64} << 20;

enum class RowChoice : std::uint8_t { Spread, Last };

// Up to `limit` rows, evenly spread or the last ones: {"columns", "target",
// "rows": [[...]], "total"}. A missing cell is null.
Json table_rows_json(const RunTable& table, std::size_t limit,
                     RowChoice which = RowChoice::Spread);

// The values of a law, given as Python source, beside the true ones:
// {"truth", "predicted", "total"}, up to `limit` rows.
Result<Json> law_fit_json(const RunTable& table, std::string_view python,
                          std::size_t limit);

}  // namespace lamarck::runs
