#include "lamarck/data/csv.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/cell_column.h"
#include "lamarck/data/internal/column_builder.h"
#include "lamarck/data/internal/csv_dialect.h"
#include "lamarck/data/internal/csv_scanner.h"

namespace lamarck::data {
namespace {

constexpr std::size_t kWatchedBytes = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Fails for bytes that cannot be UTF-8 text.
Result<void> check_bytes(std::string_view text) {
  if (text.starts_with("\x1F\x8B")) {
    return Error(ErrorCode::Unsupported,
                 "This looks gzip-compressed; decompress it first.");
  }
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return {};
  const auto lines = std::ranges::count(text.substr(0, zero), '\n');
  return csv_error(static_cast<std::size_t>(lines) + 1,
                   "the text contains a zero byte, so it is damaged or not a "
                   "table; save it again as CSV in UTF-8.");
}

// A row whose length differs from the first one.
Error ragged_row(std::size_t line, std::size_t cells, std::size_t wanted) {
  return csv_error(line, "the row has " + std::to_string(cells) +
                             (cells == 1 ? " cell" : " cells") +
                             ", but the first row has " +
                             std::to_string(wanted) + ".");
}

class CsvReader {
 public:
  CsvReader(std::string_view text, const CsvOptions& options)
      : options_(options),
        missing_(options.missing),
        delimiter_(options.delimiter != '\0' ? options.delimiter
                                             : likely_delimiter(text)),
        size_bytes_(text.size()),
        scanner_(text, delimiter_) {}

  Result<Table> read() {
    RETURN_IF_ERROR(read_header());
    builders_.assign(names_.size(), ColumnBuilder(decimal_sign(delimiter_),
                                                  options_.is_verbatim));
    RETURN_IF_ERROR(read_rows());
    if (row_count_ == 0) return no_rows_error();
    // A column that looked numeric until a word appeared needs the spelling of
    // its earlier cells, so the rows are read once more.
    const bool needs_second_pass =
        std::ranges::any_of(builders_, &ColumnBuilder::needs_second_reading);
    if (needs_second_pass) {
      for (ColumnBuilder& builder : builders_) builder.begin_second_reading();
      RETURN_IF_ERROR(read_rows());
    }
    if (options_.watch) options_.watch(size_bytes_, size_bytes_);
    return finish();
  }

 private:
  // Leaves the scanner at the first row of data.
  Result<void> read_header() {
    const CsvScanner start = scanner_;
    ASSIGN_OR_RETURN(const bool has_row, scanner_.next(cells_));
    if (!has_row) {
      return Error(ErrorCode::InvalidArgument,
                   "The file is empty; it must contain at least one row.");
    }
    const bool has_header =
        options_.header == CsvHeader::Yes ||
        (options_.header == CsvHeader::Auto &&
         is_likely_header(cells_, decimal_sign(delimiter_)));
    // Without a header, the first row is read again as data.
    if (!has_header) scanner_ = start;
    return name_columns(has_header);
  }

  Result<void> name_columns(bool has_header) {
    std::map<std::string, std::size_t, std::less<>> first_place;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      std::string name;
      if (has_header) name = cells_[i].text(scratch_);
      // Index columns often have an empty name.
      if (name.empty()) name = "column_" + std::to_string(i + 1);
      const auto [place, is_new] = first_place.emplace(name, i + 1);
      if (!is_new) {
        return csv_error(scanner_.line(),
                         "columns " + std::to_string(place->second) + " and " +
                             std::to_string(i + 1) + " are both named " +
                             in_quotes(name) + "; rename one.");
      }
      names_.push_back(std::move(name));
    }
    return {};
  }

  Result<void> read_rows() {
    // A copy, so that a second pass starts at the first row of data again.
    CsvScanner scanner = scanner_;
    row_count_ = 0;
    std::size_t reported = 0;
    for (;;) {
      ASSIGN_OR_RETURN(const bool has_row, scanner.next(cells_));
      if (!has_row) return {};
      if (options_.watch && scanner.position() >= reported + kWatchedBytes) {
        reported = scanner.position();
        options_.watch(reported, size_bytes_);
      }
      if (cells_.size() != names_.size()) {
        return ragged_row(scanner.line(), cells_.size(), names_.size());
      }
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (!builders_[i].wants_cells()) continue;
        builders_[i].add(cells_[i].text(scratch_), scanner.line(), missing_);
      }
      ++row_count_;
      if (row_count_ * names_.size() > kMaxCsvCells) {
        return csv_error(scanner.line(),
                         "the table has more than " +
                             std::to_string(kMaxCsvCells) +
                             " cells; use fewer columns or a sample of the "
                             "rows.");
      }
    }
  }

  Result<Table> finish() {
    // The default grows with the rows: a column with a new word in most rows is
    // text.
    const std::size_t max_categories = options_.max_categories > 0
                                           ? options_.max_categories
                                           : default_max_categories(row_count_);
    std::vector<Column> columns;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      ASSIGN_OR_RETURN(Column column, builders_[i].finish(std::move(names_[i]),
                                                          max_categories));
      columns.push_back(std::move(column));
    }
    return Table(std::move(columns));
  }

  const CsvOptions& options_;
  MissingWords missing_;
  char delimiter_;
  std::size_t size_bytes_;
  CsvScanner scanner_;
  std::vector<std::string> names_;
  std::vector<ColumnBuilder> builders_;
  std::size_t row_count_ = 0;
  std::vector<CsvCell> cells_;  // Cells of the current row.
  std::string scratch_;
};

}  // namespace

Result<Table> parse_csv(std::string_view text, const CsvOptions& options) {
  // Some programs write a byte order mark, which would become part of the first
  // name.
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  RETURN_IF_ERROR(check_bytes(text));
  return CsvReader(text, options).read();
}

Result<Table> read_csv(const std::filesystem::path& path,
                       const CsvOptions& options) {
  ASSIGN_OR_RETURN(const std::string text, read_csv_text(path, options));
  return parse_csv(text, options).transform_error([&](const Error& error) {
    return error.within(csv_name(path));
  });
}

}  // namespace lamarck::data
