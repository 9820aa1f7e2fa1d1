#include "lamarck/data/cell_column.h"

#include <algorithm>
#include <utility>

#include "lamarck/data/internal/column_builder.h"

namespace lamarck::data {

std::size_t default_max_categories(std::size_t rows) {
  return std::clamp<std::size_t>(rows / 2, 20, 1000);
}

Result<Column> make_column(std::string name, std::span<const std::string> cells,
                           const CsvOptions& options) {
  const MissingWords missing(options.missing);
  ColumnBuilder builder(DecimalSign::Point, options.is_verbatim);
  const auto read = [&] {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!builder.wants_cells()) return;
      builder.add(cells[i], i + 1, missing);
    }
  };
  read();
  if (builder.needs_second_reading()) {
    builder.begin_second_reading();
    read();
  }
  return builder.finish(std::move(name),
                        options.max_categories > 0
                            ? options.max_categories
                            : default_max_categories(cells.size()));
}

}  // namespace lamarck::data
