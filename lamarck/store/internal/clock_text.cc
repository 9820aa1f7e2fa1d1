#include "lamarck/store/internal/clock_text.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/json_quote.h"
#include "lamarck/base/macros.h"

namespace lamarck::store::internal {

std::string clock_text(const ClockCounts& clock) {
  std::string text;
  for (const auto& [node, count] : clock) {
    text += text.empty() ? '{' : ',';
    text += quote_json(node);
    text += ':';
    text += std::to_string(count);
  }
  if (!text.empty()) text += '}';
  return text;
}

Result<ClockCounts> parse_clock(std::string_view text) {
  ClockCounts clock;
  if (text.empty()) return clock;
  ASSIGN_OR_RETURN(const Json counts, parse_json(text));
  for (const auto& [node, count] : counts.items()) {
    if (count.is_number_integer()) clock[node] = count.get<std::uint64_t>();
  }
  return clock;
}

}  // namespace lamarck::store::internal
