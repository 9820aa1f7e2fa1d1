#include "lamarck/thought/internal/amount.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"

namespace lamarck::thought::internal {

Result<std::int64_t> amount_field(const Json& object, std::string_view name,
                                  std::int64_t max) {
  ASSIGN_OR_RETURN(const std::int64_t value,
                   json_field<std::int64_t>(object, name));
  if (value >= 0 && value <= max) return value;
  return Error(ErrorCode::DataDamaged,
               fmt::format("The field '{}' must be between 0 and {}, got {}.",
                           name, max, value));
}

}  // namespace lamarck::thought::internal
