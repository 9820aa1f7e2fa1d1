#include "lamarck/schema/internal/dialect.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/meta_schemas.h"

namespace lamarck::schema {
namespace {

struct KnownVocabulary {
  std::string_view name;
  std::uint8_t bits;
};

constexpr std::uint8_t bit(Vocabulary vocabulary) {
  return static_cast<std::uint8_t>(vocabulary);
}

constexpr std::array kKnown = {
    KnownVocabulary{"core", bit(Vocabulary::Core)},
    KnownVocabulary{"applicator", bit(Vocabulary::Applicator)},
    KnownVocabulary{"unevaluated", bit(Vocabulary::Unevaluated)},
    KnownVocabulary{"validation", bit(Vocabulary::Validation)},
    KnownVocabulary{"format-annotation", bit(Vocabulary::Format)},
    KnownVocabulary{"format-assertion",
                    bit(Vocabulary::Format) | bit(Vocabulary::FormatAssertion)},
    KnownVocabulary{"meta-data", 0},
    KnownVocabulary{"content", 0},
};

// 2020-12: `format` is an annotation, not an assertion.
constexpr std::uint8_t kDefault =
    bit(Vocabulary::Core) | bit(Vocabulary::Applicator) |
    bit(Vocabulary::Unevaluated) | bit(Vocabulary::Validation) |
    bit(Vocabulary::Format);

const KnownVocabulary* find_vocabulary(std::string_view uri) {
  const std::string prefix = std::string(kMetaSchemaPrefix) + "vocab/";
  if (!uri.starts_with(prefix)) return nullptr;
  const auto* found = std::ranges::find(kKnown, uri.substr(prefix.size()),
                                        &KnownVocabulary::name);
  return found == kKnown.end() ? nullptr : found;
}

Result<std::uint8_t> read_vocabularies(const Json& meta_schema) {
  const auto list = meta_schema.find("$vocabulary");
  if (list == meta_schema.end() || !list->is_object()) return kDefault;
  unsigned bits = bit(Vocabulary::Core);
  for (const auto& [uri, is_needed] : list->items()) {
    if (const KnownVocabulary* known = find_vocabulary(uri)) {
      bits |= known->bits;
    } else if (is_needed == Json(true)) {
      return Error(ErrorCode::Unsupported,
                   fmt::format("The schema requires the unknown vocabulary {}; "
                               "only those of 2020-12 are supported.",
                               in_quotes(uri)));
    }
  }
  return static_cast<std::uint8_t>(bits);
}

// The `$schema` of the resource or of the nearest enclosing one.
std::optional<Json> dialect_name(std::size_t resource,
                                 const ResourceIndex& index) {
  for (std::optional<std::size_t> at = resource; at.has_value();
       at = index.resource(*at).parent) {
    const Json& root = *index.resource(*at).root;
    if (root.is_object() && root.contains("$schema")) return root["$schema"];
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint8_t> find_vocabularies(std::size_t resource,
                                       ResourceIndex& index) {
  const std::optional<Json> name = dialect_name(resource, index);
  if (!name.has_value() || *name == kMetaSchema) return kDefault;
  if (!name->is_string()) {
    return Error(ErrorCode::InvalidArgument,
                 "The schema is invalid: '$schema' must be a string.");
  }
  ASSIGN_OR_RETURN(const SchemaResource* meta_schema,
                   index.find_resource(name->get<std::string>()));
  if (meta_schema == nullptr || !meta_schema->root->is_object()) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("The meta-schema {} in '$schema' is unknown; use "
                             "'{}' or add it to the documents.",
                             in_quotes(name->get<std::string>()), kMetaSchema));
  }
  return read_vocabularies(*meta_schema->root);
}

}  // namespace lamarck::schema
