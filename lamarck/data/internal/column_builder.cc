#include "lamarck/data/internal/column_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/internal/csv_scanner.h"

namespace lamarck::data {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equals_lower_case(std::string_view cell, std::string_view word) {
  return std::ranges::equal(cell, word, {}, lower_case);
}

}  // namespace

MissingWords::MissingWords(const std::vector<std::string>& words) {
  for (std::string word : words) {
    std::ranges::transform(word, word.begin(), lower_case);
    if (word.empty()) {
      has_empty_ = true;
      continue;
    }
    is_first_character_[static_cast<unsigned char>(word[0])] = true;
    words_.push_back(std::move(word));
  }
}

bool MissingWords::contains(std::string_view cell) const {
  if (cell.empty()) return has_empty_;
  const char first = lower_case(cell[0]);
  if (!is_first_character_[static_cast<unsigned char>(first)]) return false;
  return std::ranges::any_of(words_, [&](const std::string& word) {
    return equals_lower_case(cell, word);
  });
}

void ColumnBuilder::add(std::string_view cell, std::size_t line,
                        const MissingWords& missing) {
  if (missing.contains(cell)) return add_missing();
  if (state_ == State::Words) return add_word(cell, line);
  const CsvNumber number = read_number(cell);
  if (number.kind == CsvNumber::Kind::None) {
    if (state_ == State::Empty) return add_word(cell, line);
    // The spelling of the earlier numbers is lost; see begin_second_reading.
    state_ = State::Spoiled;
    return;
  }
  if (number.kind == CsvNumber::Kind::TooLarge && !too_large_) {
    too_large_ = {line, std::string(cell)};
  }
  if (sign_ == DecimalSign::PointOrComma) signs_.add_number(cell, line);
  state_ = State::Numbers;
  numbers_.push_back(number.value);
}

// A comma groups digits only if all large numbers of the column have it;
// otherwise the cells are words.
CsvNumber ColumnBuilder::read_number(std::string_view cell) {
  CsvNumber number = read_csv_number(cell, sign_);
  if (sign_ != DecimalSign::Point) return number;
  if (number.kind == CsvNumber::Kind::None) {
    number = read_grouped_number(cell);
    has_groups_ |= number.kind == CsvNumber::Kind::Number;
  } else if (!has_ungrouped_) {
    has_ungrouped_ = has_ungrouped_thousands(cell);
  }
  return has_groups_ && has_ungrouped_ ? CsvNumber() : number;
}

void ColumnBuilder::add_missing() {
  if (state_ == State::Words) {
    codes_.push_back(Column::kMissing);
  } else {
    numbers_.push_back(kNan);
  }
}

void ColumnBuilder::add_word(std::string_view cell, std::size_t line) {
  if (state_ != State::Words) {
    // All earlier cells were missing.
    codes_.assign(numbers_.size(), Column::kMissing);
    numbers_ = {};
    state_ = State::Words;
  }
  auto found = code_of_.find(cell);
  if (found == code_of_.end()) {
    const auto code = static_cast<std::int32_t>(code_of_.size());
    found = code_of_.emplace(cell, code).first;
  }
  codes_.push_back(found->second);
  if (!is_verbatim_) signs_.add_word(cell, line);
}

void ColumnBuilder::begin_second_reading() {
  if (state_ != State::Spoiled) {
    state_ = State::Complete;
    return;
  }
  numbers_ = {};
  too_large_.reset();
  state_ = State::Words;
}

// A column without words is numeric, even if all of its cells are missing.
Result<Column> ColumnBuilder::finish(std::string name,
                                     std::size_t max_categories) {
  Column column{.name = std::move(name)};
  if (!codes_.empty()) {
    RETURN_IF_ERROR(signs_.check(column.name));
    column.kind = code_of_.size() <= max_categories ? ColumnKind::Category
                                                    : ColumnKind::Text;
    sort_values(column);
    return column;
  }
  RETURN_IF_ERROR(check_numbers(column.name));
  column.numbers = std::move(numbers_);
  return column;
}

Result<void> ColumnBuilder::check_numbers(const std::string& name) const {
  if (too_large_) {
    return csv_error(too_large_->line,
                     in_quotes(too_large_->cell) + " in column " +
                         in_quotes(name) +
                         " is out of range; numbers must be below 1.8e308.");
  }
  return signs_.check(name);
}

// Codes are assigned in order of appearance; this renumbers them in sorted
// order.
void ColumnBuilder::sort_values(Column& column) {
  std::vector<std::pair<std::string, std::int32_t>> words(code_of_.begin(),
                                                          code_of_.end());
  std::ranges::sort(words);
  std::vector<std::int32_t> new_code(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    new_code[static_cast<std::size_t>(words[i].second)] =
        static_cast<std::int32_t>(i);
    column.values.push_back(std::move(words[i].first));
  }
  column.codes = std::move(codes_);
  for (std::int32_t& code : column.codes) {
    if (code != Column::kMissing)
      code = new_code[static_cast<std::size_t>(code)];
  }
}

}  // namespace lamarck::data
