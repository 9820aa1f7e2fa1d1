// The interface that keywords use while they are compiled.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/schema/internal/compiled_schema.h"
#include "lamarck/schema/internal/ecma_pattern.h"

namespace lamarck::schema {

using NamedSubschema = std::pair<std::string, SubschemaId>;

// The target of a `$dynamicRef`, and the dynamic anchor that may override it at
// validation time.
struct DynamicReference {
  SubschemaId target = 0;
  std::optional<std::size_t> anchor_name;
};

// Gives access to the current schema object. The read functions return nothing
// if the object lacks the keyword, and an error if its value is invalid.
class SchemaBuilder {
 public:
  virtual ~SchemaBuilder() = default;

  // REQUIRES: `schema` is at a place that can hold a schema.
  virtual Result<SubschemaId> subschema(const Json& schema) = 0;
  virtual Result<SubschemaId> reference(const std::string& uri) = 0;
  virtual Result<DynamicReference> dynamic_reference(
      const std::string& uri) = 0;
  virtual bool checks_formats() const = 0;
  // An error about `keyword` of the object; `what_is_wrong` is a clause such as
  // "it must be ...".
  virtual Error fault(std::string_view keyword,
                      std::string_view what_is_wrong) const = 0;

  // The current object.
  const Json& object() const { return *object_; }
  const Json* find(const char* keyword) const;

  Result<std::optional<SubschemaId>> read_schema(const char* keyword);
  Result<std::vector<SubschemaId>> read_schemas(const char* keyword);
  Result<std::vector<NamedSubschema>> read_named_schemas(const char* keyword);
  Result<std::optional<std::size_t>> read_count(const char* keyword) const;
  Result<std::optional<Json>> read_number(const char* keyword) const;
  Result<std::optional<std::string>> read_string(const char* keyword) const;
  Result<std::vector<std::string>> read_names(const char* keyword) const;
  // Also limits the total size of all patterns.
  Result<EcmaPattern> compile_pattern(const char* keyword,
                                      const std::string& source);
  // The error for a `value` that must be `wanted`.
  Error wrong_form(std::string_view keyword, std::string_view wanted,
                   const Json& value) const;

 protected:
  const Json* object_ = nullptr;

 private:
  std::size_t pattern_instruction_count_ = 0;
};

}  // namespace lamarck::schema
