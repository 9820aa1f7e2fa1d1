// What a schema becomes: subschemas that name each other by number, each with
// the keywords that can refuse a value.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::schema {

class Validation;

// One keyword with its value, or a few that only make sense together.
class Keyword {
 public:
  Keyword() = default;
  Keyword(const Keyword&) = delete;
  Keyword& operator=(const Keyword&) = delete;
  virtual ~Keyword() = default;

  // Whether the keyword allows `value`; tells `validation` why not.
  virtual bool accepts(const Json& value, Validation& validation) const = 0;
};

using KeywordPtr = std::unique_ptr<const Keyword>;

using SubschemaId = std::size_t;

struct Subschema {
  std::size_t resource = 0;  // Whose dynamic anchors it brings into scope.
  std::string location;      // "/properties/a"; "uri#/..." in other documents.
  bool is_never = false;     // The schema `false`.
  std::vector<KeywordPtr> keywords;
  // Asked last, and only where all others accept.
  std::vector<KeywordPtr> unevaluated_keywords;

  bool is_always() const {
    return !is_never && keywords.empty() && unevaluated_keywords.empty();
  }
};

struct CompiledSchema {
  struct DynamicAnchor {
    std::size_t name = 0;  // A number for each name.
    SubschemaId target = 0;
  };
  std::vector<Subschema> subschemas;  // The first is the whole schema.
  std::vector<std::vector<DynamicAnchor>> dynamic_anchors;  // Of each resource.
};

}  // namespace lamarck::schema
