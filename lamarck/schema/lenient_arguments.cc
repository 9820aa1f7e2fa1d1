#include "lamarck/schema/lenient_arguments.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/schema/internal/exact_number.h"

namespace lamarck::schema {
namespace {

constexpr std::size_t kMaxDepth = 64;  // Nesting of JSON inside a string.

// Whether the schema's `type` is or contains `name`.
bool allows_type(const Json& schema, std::string_view name) {
  const auto type = schema.find("type");
  if (type == schema.end()) return false;
  if (type->is_string()) return type->get_ref<const std::string&>() == name;
  if (!type->is_array()) return false;
  return std::ranges::any_of(*type, [&](const Json& entry) {
    return entry.is_string() && entry.get_ref<const std::string&>() == name;
  });
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether the value is a number or boolean that the schema allows, without
// surrounding spaces in the text.
bool is_wanted_scalar(const Json& value, const std::string& text,
                      const Json& schema) {
  if (is_space(text.front()) || is_space(text.back())) return false;
  if (value.is_boolean()) return allows_type(schema, "boolean");
  if (!value.is_number()) return false;
  return allows_type(schema, "number") ||
         (allows_type(schema, "integer") && is_whole(value));
}

// Converts 3.0 to 3 if the schema asks for an integer. Beyond 2^53 a double is
// not exact.
Json as_integer_if_wanted(Json value, const Json& schema) {
  constexpr double kExact = 9007199254740992.0;
  if (!value.is_number_float() || allows_type(schema, "number")) return value;
  const auto number = value.get<double>();
  if (number < -kExact || number > kExact) return value;
  return static_cast<std::int64_t>(number);
}

// The value that the text contains, if the schema allows it but not a string.
std::optional<Json> parse_spelled_value(const std::string& text,
                                        const Json& schema) {
  if (allows_type(schema, "string") || text.empty()) return std::nullopt;
  auto value = parse_json(text, {.depth = kMaxDepth});
  if (!value) return std::nullopt;
  const bool is_wanted = is_wanted_scalar(*value, text, schema) ||
                         (value->is_array() && allows_type(schema, "array")) ||
                         (value->is_object() && allows_type(schema, "object"));
  if (!is_wanted) return std::nullopt;
  return as_integer_if_wanted(*std::move(value), schema);
}

void convert(Json& value, const Json& schema, std::size_t depth);

void convert_members(Json& object, const Json& schema, std::size_t depth) {
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const auto wanted = properties->find(member.key());
    if (wanted != properties->end()) convert(*member, *wanted, depth + 1);
  }
}

void convert_items(Json& array, const Json& schema, std::size_t depth) {
  const auto items = schema.find("items");
  if (items == schema.end()) return;
  for (Json& item : array) convert(item, *items, depth + 1);
}

// Converts a string first, so that the members of a spelled object are
// converted, too.
void convert(Json& value, const Json& schema, std::size_t depth) {
  if (!schema.is_object() || depth > kMaxDepth) return;
  if (value.is_string()) {
    auto spelled =
        parse_spelled_value(value.get_ref<const std::string&>(), schema);
    if (spelled.has_value()) value = *std::move(spelled);
  }
  if (value.is_object()) convert_members(value, schema, depth);
  if (value.is_array()) convert_items(value, schema, depth);
}

}  // namespace

Json lenient_arguments(const Json& arguments, const Json& schema) {
  Json converted = arguments;
  convert(converted, schema, 0);
  return converted;
}

}  // namespace lamarck::schema
