// One column as it is read, cell by cell.

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
#include "lamarck/data/table.h"

namespace lamarck::data {

// The words that mean that nothing is known, in upper or lower case.
class MissingWords {
 public:
  explicit MissingWords(const std::vector<std::string>& words);

  bool contains(std::string_view cell) const;

 private:
  std::vector<std::string> words_;              // In lower case.
  std::array<bool, 256> is_first_character_{};  // Spares most comparisons.
  bool has_empty_ = false;
};

// Takes a column for numbers until a word comes. If numbers came before, their
// spelling is lost by then, and the column has to be read again from its start.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(DecimalSign sign) : sign_(sign) {}

  void add(std::string_view cell, std::size_t line,
           const MissingWords& missing);

  // Whether `add` still wants cells: not in a second reading that it does not
  // need, nor after it found that it needs one.
  bool wants_cells() const { return state_ < State::Spoiled; }
  bool needs_second_reading() const { return state_ == State::Spoiled; }
  // Called on every column when at least one needs it.
  void begin_second_reading();

  // Words are a category if at most `most_categories` of them differ. Fails if
  // a number was too large, or if some have a decimal point and some a comma.
  Result<Column> finish(std::string name, std::size_t most_categories);

 private:
  enum class State : std::uint8_t {
    Empty,  // Nothing, or only missing cells.
    Numbers,
    Words,
    Spoiled,  // A word behind numbers.
    Complete,
  };
  struct Place {
    std::size_t line;
    std::string cell;
  };
  struct TextHash : std::hash<std::string_view> {
    // The standard's name.
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
  };

  void add_missing();
  void note_sign(std::string_view cell, std::size_t line);
  Result<void> check_numbers(const std::string& name) const;
  void add_word(std::string_view cell);
  void sort_values(Column& column);

  DecimalSign sign_;
  State state_ = State::Empty;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>
      code_of_;
  // The first of each, if any.
  std::optional<Place> too_large_;
  std::optional<Place> with_point_;
  std::optional<Place> with_comma_;
};

}  // namespace lamarck::data
