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

std::optional<double> number_of(std::string_view word) {
  const CsvNumber number = read_csv_number(word);
  const bool is_usable =
      number.kind == CsvNumber::Kind::Number && std::isfinite(number.value);
  return is_usable ? std::optional(number.value) : std::nullopt;
}

class CategoryPlaces {
 public:
  explicit CategoryPlaces(std::span<const std::string> categories) {
    for (std::size_t i = 0; i < categories.size(); ++i) {
      const auto code = static_cast<std::int32_t>(i);
      of_word_.emplace(categories[i], code);
      const auto number = number_of(categories[i]);
      if (number) of_number_.emplace(*number, code);
    }
  }

  std::int32_t find(std::string_view word) const {
    const auto found = of_word_.find(word);
    if (found != of_word_.end()) return found->second;
    const auto number = number_of(word);
    return number ? find(*number) : kUnknownCategory;
  }

  std::int32_t find(double number) const {
    if (std::isnan(number)) return Column::kMissing;
    const auto found = of_number_.find(number);
    return found == of_number_.end() ? kUnknownCategory : found->second;
  }

 private:
  std::map<std::string_view, std::int32_t> of_word_;  // Points to the caller's.
  std::map<double, std::int32_t> of_number_;
};

}  // namespace

Column as_category(const Column& column) {
  std::vector<double> different;
  for (const double number : column.numbers) {
    if (!std::isnan(number)) different.push_back(number);
  }
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
  const CategoryPlaces places(categories);
  std::vector<std::int32_t> codes;
  if (column.kind == ColumnKind::Number) {
    for (const double number : column.numbers) {
      codes.push_back(places.find(number));
    }
    return codes;
  }
  std::vector<std::int32_t> code_of_value;
  for (const std::string& value : column.values) {
    code_of_value.push_back(places.find(value));
  }
  for (const std::int32_t code : column.codes) {
    codes.push_back(code == Column::kMissing
                        ? Column::kMissing
                        : code_of_value[static_cast<std::size_t>(code)]);
  }
  return codes;
}

}  // namespace lamarck::data
