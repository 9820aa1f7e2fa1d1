// The compiled form of a schema: numbered subschemas that refer to each other,
// each with its keywords.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::schema {

class Validation;

// One keyword with its value, or a few keywords that work together.
class Keyword {
 public:
  Keyword() = default;
  Keyword(const Keyword&) = delete;
  Keyword& operator=(const Keyword&) = delete;
  virtual ~Keyword() = default;

  // Returns whether the keyword allows `value`; otherwise reports a violation.
  virtual bool accepts(const Json& value, Validation& validation) const = 0;
};

using KeywordPtr = std::unique_ptr<const Keyword>;

using SubschemaId = std::size_t;

struct Subschema {
  std::size_t resource = 0;  // Whose dynamic anchors come into scope.
  std::string location;      // "/properties/a"; "uri#/..." in other documents.
  bool is_never = false;     // The schema `false`.
  std::vector<KeywordPtr> keywords;
  // Run last, and only if all others accept.
  std::vector<KeywordPtr> unevaluated_keywords;

  bool is_always() const {
    return !is_never && keywords.empty() && unevaluated_keywords.empty();
  }
};

struct CompiledSchema {
  struct DynamicAnchor {
    std::size_t name = 0;  // Each name has a number.
    SubschemaId target = 0;
  };
  std::vector<Subschema> subschemas;  // The first one is the root.
  std::vector<std::vector<DynamicAnchor>> dynamic_anchors;  // By resource.
};

}  // namespace lamarck::schema
