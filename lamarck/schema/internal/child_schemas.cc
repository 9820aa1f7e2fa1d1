#include "lamarck/schema/internal/child_schemas.h"

#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/schema/internal/json_pointer.h"

namespace lamarck::schema {
namespace {

// Keywords whose value is one schema.
constexpr std::array kSingle = {"additionalProperties",
                                "contains",
                                "contentSchema",
                                "else",
                                "if",
                                "items",
                                "not",
                                "propertyNames",
                                "then",
                                "unevaluatedItems",
                                "unevaluatedProperties"};
// Keywords whose value is an array or an object of schemas.
constexpr std::array kSeveral = {"$defs",       "allOf",
                                 "anyOf",       "oneOf",
                                 "prefixItems", "dependentSchemas",
                                 "properties",  "patternProperties"};

void add_several(const Json& holder, const std::string& location,
                 std::vector<ChildSchema>& children) {
  for (const auto& [name, child] : holder.items()) {
    if (!is_schema(child)) continue;
    children.push_back({&child, location + pointer_token(name)});
  }
}

}  // namespace

bool is_schema(const Json& value) {
  return value.is_object() || value.is_boolean();
}

std::vector<ChildSchema> child_schemas(const Json& schema) {
  std::vector<ChildSchema> children;
  if (!schema.is_object()) return children;
  for (const char* keyword : kSingle) {
    const auto child = schema.find(keyword);
    if (child != schema.end() && is_schema(*child)) {
      children.push_back({&*child, pointer_token(keyword)});
    }
  }
  for (const char* keyword : kSeveral) {
    const auto holder = schema.find(keyword);
    if (holder == schema.end() || !holder->is_structured()) continue;
    add_several(*holder, pointer_token(keyword), children);
  }
  return children;
}

}  // namespace lamarck::schema
