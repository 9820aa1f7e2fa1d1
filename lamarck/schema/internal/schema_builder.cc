#include "lamarck/schema/internal/schema_builder.h"

#include <limits>
#include <set>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/schema/internal/child_schemas.h"
#include "lamarck/schema/internal/exact_number.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

constexpr std::size_t kMaxPatternInstructions = 1'000'000;

}  // namespace

const Json* SchemaBuilder::find(const char* keyword) const {
  const auto found = object_->find(keyword);
  return found == object_->end() ? nullptr : &*found;
}

Error SchemaBuilder::wrong_form(std::string_view keyword,
                                std::string_view wanted,
                                const Json& value) const {
  return fault(keyword, fmt::format("it must be {}, got {}", wanted,
                                    describe_value(value)));
}

Result<std::optional<SubschemaId>> SchemaBuilder::read_schema(
    const char* keyword) {
  const Json* value = find(keyword);
  if (value == nullptr) return std::optional<SubschemaId>();
  if (!is_schema(*value)) {
    return wrong_form(keyword, "a schema: an object or a boolean", *value);
  }
  ASSIGN_OR_RETURN(const SubschemaId id, subschema(*value));
  return std::optional(id);
}

Result<std::vector<SubschemaId>> SchemaBuilder::read_schemas(
    const char* keyword) {
  std::vector<SubschemaId> ids;
  const Json* value = find(keyword);
  if (value == nullptr) return ids;
  if (!value->is_array() || value->empty()) {
    return wrong_form(keyword, "an array of at least one schema", *value);
  }
  for (const Json& child : *value) {
    if (!is_schema(child)) {
      return fault(keyword, fmt::format("each entry must be a schema, got {}",
                                        describe_value(child)));
    }
    ASSIGN_OR_RETURN(const SubschemaId id, subschema(child));
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<NamedSubschema>> SchemaBuilder::read_named_schemas(
    const char* keyword) {
  std::vector<NamedSubschema> named;
  const Json* value = find(keyword);
  if (value == nullptr) return named;
  if (!value->is_object()) {
    return wrong_form(keyword, "an object of schemas", *value);
  }
  for (const auto& [name, child] : value->items()) {
    if (!is_schema(child)) {
      return fault(keyword,
                   fmt::format("its member '{}' must be a schema, got {}", name,
                               describe_value(child)));
    }
    ASSIGN_OR_RETURN(const SubschemaId id, subschema(child));
    named.emplace_back(name, id);
  }
  return named;
}

Result<std::optional<std::size_t>> SchemaBuilder::read_count(
    const char* keyword) const {
  const Json* value = find(keyword);
  if (value == nullptr) return std::optional<std::size_t>();
  if (!value->is_number() || !is_whole(*value) ||
      compare_numbers(*value, Json(0)) < 0) {
    return wrong_form(keyword, "a whole number of at least 0", *value);
  }
  // Counts beyond the range act as no limit.
  constexpr auto kMax = std::numeric_limits<std::size_t>::max();
  const bool is_huge = value->get<double>() >= static_cast<double>(kMax);
  return std::optional(is_huge ? kMax : value->get<std::size_t>());
}

Result<std::optional<Json>> SchemaBuilder::read_number(
    const char* keyword) const {
  const Json* value = find(keyword);
  if (value == nullptr) return std::optional<Json>();
  if (!value->is_number()) return wrong_form(keyword, "a number", *value);
  return std::optional<Json>(*value);
}

Result<std::optional<std::string>> SchemaBuilder::read_string(
    const char* keyword) const {
  const Json* value = find(keyword);
  if (value == nullptr) return std::optional<std::string>();
  if (!value->is_string()) return wrong_form(keyword, "a string", *value);
  return std::optional(value->get<std::string>());
}

Result<std::vector<std::string>> SchemaBuilder::read_names(
    const char* keyword) const {
  std::vector<std::string> names;
  const Json* value = find(keyword);
  if (value == nullptr) return names;
  if (!value->is_array()) {
    return wrong_form(keyword, "an array of strings", *value);
  }
  for (const Json& name : *value) {
    if (!name.is_string()) {
      return fault(keyword, fmt::format("each entry must be a string, got {}",
                                        describe_value(name)));
    }
    names.push_back(name.get<std::string>());
  }
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
    return fault(keyword, "its entries must be unique");
  }
  return names;
}

Result<EcmaPattern> SchemaBuilder::compile_pattern(const char* keyword,
                                                   const std::string& source) {
  auto pattern = EcmaPattern::compile(source);
  if (!pattern) return fault(keyword, pattern.error().message());
  pattern_instruction_count_ += pattern->instruction_count();
  if (pattern_instruction_count_ > kMaxPatternInstructions) {
    return fault(keyword, "the patterns of the schema are too large in total");
  }
  return pattern;
}

}  // namespace lamarck::schema
