#include "lamarck/data/internal/category_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "lamarck/data/internal/csv_number.h"

namespace lamarck::data {
namespace {

std::optional<double> parse_finite(std::string_view word) {
  const CsvNumber number = read_csv_number(word);
  const bool is_usable =
      number.kind == CsvNumber::Kind::Number && std::isfinite(number.value);
  return is_usable ? std::optional(number.value) : std::nullopt;
}

// Finds a category by its spelling, or else by its numeric value, so that "1"
// and "1.0" are the same category.
class CategoryIndex {
 public:
  explicit CategoryIndex(std::span<const std::string> categories) {
    for (std::size_t i = 0; i < categories.size(); ++i) {
      const auto code = static_cast<std::int32_t>(i);
      code_by_word_.emplace(categories[i], code);
      const auto number = parse_finite(categories[i]);
      if (number) code_by_number_.emplace(*number, code);
    }
  }

  std::int32_t find(std::string_view word) const {
    const auto found = code_by_word_.find(word);
    if (found != code_by_word_.end()) return found->second;
    const auto number = parse_finite(word);
    return number ? find(*number) : kUnknownCategory;
  }

  std::int32_t find(double number) const {
    if (std::isnan(number)) return Column::kMissing;
    const auto found = code_by_number_.find(number);
    return found == code_by_number_.end() ? kUnknownCategory : found->second;
  }

 private:
  std::map<std::string_view, std::int32_t>
      code_by_word_;  // Views of the caller's strings.
  std::map<double, std::int32_t> code_by_number_;
};

}  // namespace

Column as_category(const Column& column) {
  std::vector<double> different;
  for (const double number : column.numbers) {
    if (!std::isnan(number)) different.push_back(number);
  }
  // Sorted as numbers, not as text: 9 comes before 10.
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()),
                  different.end());
  Column category{.name = column.name, .kind = ColumnKind::Category};
  for (const double number : different) {
    category.values.push_back(fmt::format("{}", number));
  }
  for (const double number : column.numbers) {
    const auto place = std::ranges::lower_bound(different, number);
    category.codes.push_back(
        std::isnan(number)
            ? Column::kMissing
            : static_cast<std::int32_t>(place - different.begin()));
  }
  return category;
}

std::vector<std::int32_t> category_codes(
    const Column& column, std::span<const std::string> categories) {
  const CategoryIndex index(categories);
  std::vector<std::int32_t> codes;
  if (column.kind == ColumnKind::Number) {
    for (const double number : column.numbers) {
      codes.push_back(index.find(number));
    }
    return codes;
  }
  // Looks each distinct value up once, not once per row.
  std::vector<std::int32_t> code_of_value;
  for (const std::string& value : column.values) {
    code_of_value.push_back(index.find(value));
  }
  for (const std::int32_t code : column.codes) {
    codes.push_back(code == Column::kMissing
                        ? Column::kMissing
                        : code_of_value[static_cast<std::size_t>(code)]);
  }
  return codes;
}

}  // namespace lamarck::data
