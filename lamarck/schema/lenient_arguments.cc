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

constexpr std::size_t kMaxDepth = 64;  // Of what a string may spell.

// Whether `type` of the schema names `name`.
bool wants(const Json& schema, std::string_view name) {
  const auto type = schema.find("type");
  if (type == schema.end()) return false;
  if (type->is_string()) return type->get_ref<const std::string&>() == name;
  if (!type->is_array()) return false;
  return std::ranges::any_of(*type, [&](const Json& entry) {
    return entry.is_string() && entry.get_ref<const std::string&>() == name;
  });
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A number or boolean that fills the text from end to end.
bool is_wanted_scalar(const Json& value, const std::string& text,
                      const Json& schema) {
  if (is_space(text.front()) || is_space(text.back())) return false;
  if (value.is_boolean()) return wants(schema, "boolean");
  if (!value.is_number()) return false;
  return wants(schema, "number") ||
         (wants(schema, "integer") && is_whole(value));
}

// 3.0 becomes 3 where an integer is wanted.
Json as_integer_if_wanted(Json value, const Json& schema) {
  constexpr double kExact = 9007199254740992.0;
  if (!value.is_number_float() || wants(schema, "number")) return value;
  const auto number = value.get<double>();
  if (number < -kExact || number > kExact) return value;
  return static_cast<std::int64_t>(number);
}

// What the text spells, if the schema wants that and not a text.
std::optional<Json> spelled_value(const std::string& text, const Json& schema) {
  if (wants(schema, "string") || text.empty()) return std::nullopt;
  auto value = parse_json(text, {.depth = kMaxDepth});
  if (!value) return std::nullopt;
  const bool is_wanted = is_wanted_scalar(*value, text, schema) ||
                         (value->is_array() && wants(schema, "array")) ||
                         (value->is_object() && wants(schema, "object"));
  if (!is_wanted) return std::nullopt;
  return as_integer_if_wanted(*std::move(value), schema);
}

void be_lenient(Json& value, const Json& schema, std::size_t depth);

void be_lenient_with_members(Json& object, const Json& schema,
                             std::size_t depth) {
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const auto wanted = properties->find(member.key());
    if (wanted != properties->end()) be_lenient(*member, *wanted, depth + 1);
  }
}

void be_lenient_with_items(Json& array, const Json& schema, std::size_t depth) {
  const auto items = schema.find("items");
  if (items == schema.end()) return;
  for (Json& item : array) be_lenient(item, *items, depth + 1);
}

void be_lenient(Json& value, const Json& schema, std::size_t depth) {
  if (!schema.is_object() || depth > kMaxDepth) return;
  if (value.is_string()) {
    auto spelled = spelled_value(value.get_ref<const std::string&>(), schema);
    if (spelled.has_value()) value = *std::move(spelled);
  }
  if (value.is_object()) be_lenient_with_members(value, schema, depth);
  if (value.is_array()) be_lenient_with_items(value, schema, depth);
}

}  // namespace

Json lenient_arguments(const Json& arguments, const Json& schema) {
  Json lenient = arguments;
  be_lenient(lenient, schema, 0);
  return lenient;
}

}  // namespace lamarck::schema
