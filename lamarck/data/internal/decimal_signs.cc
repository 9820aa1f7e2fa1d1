#include "lamarck/data/internal/decimal_signs.h"

#include "lamarck/base/one_line.h"
#include "lamarck/data/internal/csv_number.h"
#include "lamarck/data/internal/csv_scanner.h"

namespace lamarck::data {
namespace {

bool parses_as_number(const CsvNumber& number) {
  return number.kind != CsvNumber::Kind::None;
}

}  // namespace

void DecimalSigns::add_number(std::string_view cell, std::size_t line) {
  if (!with_point_ && cell.find('.') != std::string_view::npos) {
    with_point_ = {line, std::string(cell)};
  }
  if (!with_comma_ && cell.find(',') != std::string_view::npos) {
    with_comma_ = {line, std::string(cell)};
  }
}

void DecimalSigns::add_word(std::string_view cell, std::size_t line) {
  if (has_text_) return;
  // In 1,500 the comma may be either sign, so it decides nothing.
  if (parses_as_number(read_grouped_number(cell))) return;
  if (parses_as_number(read_csv_number(cell, DecimalSign::PointOrComma))) {
    return add_number(cell, line);
  }
  if (parses_as_number(read_number_with_points(cell))) {
    if (!with_both_) with_both_ = {line, std::string(cell)};
    return;
  }
  has_text_ = true;
}

Result<void> DecimalSigns::check(const std::string& name) const {
  if (has_text_) return {};
  if (with_both_) {
    return csv_error(with_both_->line,
                     in_quotes(with_both_->cell) + " in column " +
                         in_quotes(name) +
                         " has points between thousands; remove them, as in "
                         "1234,5.");
  }
  if (with_point_ && with_comma_) {
    return csv_error(with_comma_->line,
                     in_quotes(with_comma_->cell) + " in column " +
                         in_quotes(name) + " has a decimal comma, but " +
                         in_quotes(with_point_->cell) + " in line " +
                         std::to_string(with_point_->line) +
                         " has a decimal point; use only one of them.");
  }
  return {};
}

}  // namespace lamarck::data
