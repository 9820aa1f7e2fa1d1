#include "lamarck/archipelago/internal/error_amount.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace lamarck::archipelago {

std::int64_t error_amount(const Error& error, std::string_view field) {
  const auto found = error.fields().find(field);
  if (found == error.fields().end()) return 0;
  const std::string& text = found->second;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::max<std::int64_t>(value, 0);
}

}  // namespace lamarck::archipelago
