// What a keyword needs while it is compiled.

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

// What `$dynamicRef` leads to: a place, and the dynamic anchor it may be
// exchanged for.
struct DynamicReference {
  SubschemaId target = 0;
  std::optional<std::size_t> anchor_name;
};

// Seen by the keywords of one schema object. The readers answer nothing where
// the object lacks the keyword, and an error where its value has a wrong form.
class SchemaBuilder {
 public:
  virtual ~SchemaBuilder() = default;

  // REQUIRES: `schema` is at a place where a schema may be.
  virtual Result<SubschemaId> subschema(const Json& schema) = 0;
  virtual Result<SubschemaId> reference(const std::string& uri) = 0;
  virtual Result<DynamicReference> dynamic_reference(
      const std::string& uri) = 0;
  virtual bool checks_formats() const = 0;
  // About `keyword` of the object: "it must be ...".
  virtual Error fault(std::string_view keyword,
                      std::string_view what_is_wrong) const = 0;

  // The object at hand.
  const Json& object() const { return *object_; }
  const Json* find(const char* keyword) const;

  Result<std::optional<SubschemaId>> read_schema(const char* keyword);
  Result<std::vector<SubschemaId>> read_schemas(const char* keyword);
  Result<std::vector<NamedSubschema>> read_named_schemas(const char* keyword);
  Result<std::optional<std::size_t>> read_count(const char* keyword) const;
  Result<std::optional<Json>> read_number(const char* keyword) const;
  Result<std::optional<std::string>> read_string(const char* keyword) const;
  Result<std::vector<std::string>> read_names(const char* keyword) const;
  // The sizes of all patterns together are bounded too.
  Result<EcmaPattern> compile_pattern(const char* keyword,
                                      const std::string& source);
  // The error of reading `value`, which should be `wanted`.
  Error wrong_form(std::string_view keyword, std::string_view wanted,
                   const Json& value) const;

 protected:
  const Json* object_ = nullptr;

 private:
  std::size_t pattern_instruction_count_ = 0;
};

}  // namespace lamarck::schema
