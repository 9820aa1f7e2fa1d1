// Builds a column from its cells.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/internal/csv_number.h"
#include "lamarck/data/internal/decimal_signs.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

// The words that count as missing, in any letter case.
class MissingWords {
 public:
  explicit MissingWords(const std::vector<std::string>& words);

  bool contains(std::string_view cell) const;

 private:
  std::vector<std::string> words_;              // In lower case.
  std::array<bool, 256> is_first_character_{};  // Rejects most cells early.
  bool has_empty_ = false;
};

// Treats a column as numeric until a word appears. If numbers came before it,
// their spelling is lost, and the column must be read again from the start.
class ColumnBuilder {
 public:
  // With `is_verbatim`, every cell that is not missing is a word.
  explicit ColumnBuilder(DecimalSign sign, bool is_verbatim = false)
      : sign_(sign),
        is_verbatim_(is_verbatim),
        state_(is_verbatim ? State::Words : State::Empty) {}

  void add(std::string_view cell, std::size_t line,
           const MissingWords& missing);

  // Whether `add` needs more cells. It does not after it found that it needs a
  // second reading, nor in a second reading that only other columns need.
  bool wants_cells() const { return state_ < State::Spoiled; }
  bool needs_second_reading() const { return state_ == State::Spoiled; }
  // Must be called on every column if at least one needs a second reading.
  void begin_second_reading();

  // Words form a category if at most `max_categories` of them are distinct,
  // else text. Fails if a number was too large, or if some numbers have a
  // decimal point and others a decimal comma.
  Result<Column> finish(std::string name, std::size_t max_categories);

 private:
  enum class State : std::uint8_t {
    Empty,  // No cells, or only missing ones.
    Numbers,
    Words,
    Spoiled,   // A word after numbers; needs a second reading.
    Complete,  // Skips the second reading.
  };
  struct Position {
    std::size_t line;
    std::string cell;
  };
  struct TextHash : std::hash<std::string_view> {
    // The name is given by the standard library.
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
  };

  void add_missing();
  CsvNumber read_number(std::string_view cell);
  Result<void> check_numbers(const std::string& name) const;
  void add_word(std::string_view cell, std::size_t line);
  void sort_values(Column& column);

  DecimalSign sign_;
  bool is_verbatim_;
  State state_;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>
      code_of_;
  bool has_groups_ = false;     // A cell such as 1,000.
  bool has_ungrouped_ = false;  // A cell such as 1000.
  // The first such cell, if any.
  std::optional<Position> too_large_;
  DecimalSigns signs_;
};

}  // namespace lamarck::data
