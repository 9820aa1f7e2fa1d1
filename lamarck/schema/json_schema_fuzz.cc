// A libFuzzer target (`make fuzz`). Input: a schema, a zero byte, an instance.

#include "lamarck/schema/json_schema.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/schema/lenient_arguments.h"

// NOLINTNEXTLINE(readability-identifier-naming): required by libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  const auto schema = lamarck::parse_json(input.substr(0, zero));
  if (!schema) return 0;
  const auto instance =
      lamarck::parse_json(input.substr(std::min(zero + 1, input.size())));
  const auto compiled = lamarck::schema::JsonSchema::compile(
      *schema, {.check_formats = true, .max_steps = 20'000});
  if (!compiled || !instance) return 0;
  const auto first = compiled->validate(*instance);
  const auto second = compiled->validate(*instance);
  ENSURE(first.has_value() == second.has_value(),
         "validation is deterministic");
  lamarck::schema::lenient_arguments(*instance, *schema);
  return 0;
}
