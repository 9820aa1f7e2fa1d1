// Finds columns whose numbers have different decimal signs.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::data {

// Collects the cells of a column and fails if some of its numbers have a
// decimal point and others a decimal comma, as in 5.185 and 0,5: the column
// would be read as text or, worse, with wrong numbers.
class DecimalSigns {
 public:
  // A cell that was read as a number.
  void add_number(std::string_view cell, std::size_t line);
  // A cell of a column of words, which may be a number in another spelling.
  // One that is not, such as a name, means that the column has text.
  void add_word(std::string_view cell, std::size_t line);

  // The error names the column and two cells.
  Result<void> check(const std::string& name) const;

 private:
  struct Position {
    std::size_t line;
    std::string cell;
  };

  bool has_text_ = false;
  // The first cell of each kind, if any.
  std::optional<Position> with_point_;
  std::optional<Position> with_comma_;
  std::optional<Position> with_both_;  // Such as 1.234,5.
};

}  // namespace lamarck::data
