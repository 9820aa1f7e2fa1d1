#include "lamarck/schema/internal/schema_compiler.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/schema/internal/dialect.h"
#include "lamarck/schema/internal/json_order.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/resource_index.h"
#include "lamarck/schema/internal/schema_builder.h"

namespace lamarck::schema {
namespace {

constexpr std::size_t kMaxJsonDepth = 500;

// Visits all reachable subschemas breadth first, so that deep and circular
// schemas need no deep stack.
class SchemaCompiler final : public SchemaBuilder {
 public:
  explicit SchemaCompiler(const SchemaOptions& options) : options_(options) {}

  Result<CompiledSchema> compile(const Json& schema) {
    RETURN_IF_ERROR(add_documents(schema));
    RETURN_IF_ERROR(subschema(schema));
    // Dynamic anchors may add subschemas, which may use further anchors.
    do {
      RETURN_IF_ERROR(compile_pending());
      RETURN_IF_ERROR(compile_dynamic_anchors());
    } while (next_ < sources_.size());
    list_dynamic_anchors();
    return std::move(compiled_);
  }

  Result<SubschemaId> subschema(const Json& schema) override {
    // The id is given before compilation, so that circular references work.
    const auto [known, is_new] = ids_.emplace(&schema, sources_.size());
    if (!is_new) return known->second;
    if (sources_.size() >= options_.max_subschemas) {
      return Error(
          ErrorCode::BudgetExceeded,
          fmt::format(
              "The schema has more than {} subschemas; use a smaller schema.",
              options_.max_subschemas));
    }
    sources_.push_back(&schema);
    return known->second;
  }

  Result<SubschemaId> reference(const std::string& uri) override {
    ASSIGN_OR_RETURN(const SchemaTarget target, resolve("$ref", uri));
    return subschema(*target.schema);
  }

  Result<DynamicReference> dynamic_reference(const std::string& uri) override {
    ASSIGN_OR_RETURN(const SchemaTarget target, resolve("$dynamicRef", uri));
    ASSIGN_OR_RETURN(const SubschemaId id, subschema(*target.schema));
    DynamicReference reference{id, std::nullopt};
    const SchemaResource& resource =
        index_.resource(index_.place(*target.schema).resource);
    if (resource.dynamic_anchors.contains(target.anchor)) {
      reference.anchor_name =
          anchor_names_.emplace(target.anchor, anchor_names_.size())
              .first->second;
    }
    return reference;
  }

  bool checks_formats() const override {
    constexpr auto kAssertion =
        static_cast<unsigned>(Vocabulary::FormatAssertion);
    return options_.check_formats || (vocabularies_ & kAssertion) != 0;
  }

  Error fault(std::string_view keyword,
              std::string_view what_is_wrong) const override {
    const std::string path =
        fmt::format("{}/{}", index_.place(*object_).location, keyword);
    return {
        ErrorCode::InvalidArgument,
        fmt::format("The schema is invalid at '{}': {}.", path, what_is_wrong),
        {{"schema_path", path}}};
  }

 private:
  Result<void> add_documents(const Json& schema) {
    RETURN_IF_ERROR(check_form(schema, "The schema"));
    RETURN_IF_ERROR(index_.add_document(schema, ""));
    for (const auto& [uri, document] : options_.documents) {
      RETURN_IF_ERROR(check_form(document, "The document " + in_quotes(uri)));
      RETURN_IF_ERROR(index_.add_document(document, uri));
    }
    return {};
  }

  static Result<void> check_form(const Json& schema, const std::string& what) {
    if (!schema.is_object() && !schema.is_boolean()) {
      return Error(ErrorCode::InvalidArgument,
                   what + " must be an object or a boolean.");
    }
    if (measure_extent(schema, kMaxJsonDepth).is_too_deep) {
      return Error(ErrorCode::BudgetExceeded,
                   fmt::format("{} must not nest deeper than {} levels.", what,
                               kMaxJsonDepth));
    }
    return {};
  }

  Result<void> compile_pending() {
    while (next_ < sources_.size()) {
      const Json& schema = *sources_[next_++];
      const SchemaPlace& place = index_.place(schema);
      Subschema compiled;
      compiled.resource = place.resource;
      compiled.location = place.location;
      compiled.is_never = schema == Json(false);
      if (schema.is_object()) {
        object_ = &schema;
        RETURN_IF_ERROR(compile_object(compiled));
      }
      compiled_.subschemas.push_back(std::move(compiled));
    }
    return {};
  }

  Result<void> compile_object(Subschema& compiled) {
    ASSIGN_OR_RETURN(vocabularies_, vocabularies(compiled.resource));
    for (const KeywordEntry& entry : keyword_table()) {
      if ((vocabularies_ & static_cast<unsigned>(entry.vocabulary)) == 0) {
        continue;
      }
      ASSIGN_OR_RETURN(KeywordPtr keyword, entry.make(*this));
      if (keyword == nullptr) continue;
      auto& list = entry.vocabulary == Vocabulary::Unevaluated
                       ? compiled.unevaluated_keywords
                       : compiled.keywords;
      list.push_back(std::move(keyword));
    }
    // Also check unused definitions.
    const auto definitions = read_named_schemas("$defs");
    if (!definitions) return definitions.error();
    return {};
  }

  Result<std::uint8_t> vocabularies(std::size_t resource) {
    const auto known = vocabularies_by_resource_.find(resource);
    if (known != vocabularies_by_resource_.end()) return known->second;
    ASSIGN_OR_RETURN(const std::uint8_t bits,
                     find_vocabularies(resource, index_));
    vocabularies_by_resource_.emplace(resource, bits);
    return bits;
  }

  Result<SchemaTarget> resolve(const char* keyword, const std::string& uri) {
    ASSIGN_OR_RETURN(SchemaTarget target,
                     index_.resolve(index_.place(*object_).resource, uri));
    if (target.schema == nullptr) {
      return fault(keyword, fmt::format("{} does not lead to a schema; add its "
                                        "document or correct the reference",
                                        in_quotes(uri)));
    }
    return target;
  }

  // A `$dynamicRef` may lead to any dynamic anchor of a resource that is
  // entered.
  Result<void> compile_dynamic_anchors() {
    for (const std::size_t resource : entered_resources()) {
      for (const auto& [name, schema] :
           index_.resource(resource).dynamic_anchors) {
        if (anchor_names_.contains(name)) RETURN_IF_ERROR(subschema(*schema));
      }
    }
    return {};
  }

  std::set<std::size_t> entered_resources() const {
    std::set<std::size_t> resources;
    for (const Subschema& subschema : compiled_.subschemas) {
      resources.insert(subschema.resource);
    }
    return resources;
  }

  void list_dynamic_anchors() {
    const std::set<std::size_t> entered = entered_resources();
    compiled_.dynamic_anchors.resize(*entered.rbegin() + 1);
    for (const std::size_t resource : entered) {
      for (const auto& [name, schema] :
           index_.resource(resource).dynamic_anchors) {
        const auto used = anchor_names_.find(name);
        if (used == anchor_names_.end()) continue;
        compiled_.dynamic_anchors[resource].push_back(
            {used->second, ids_.at(schema)});
      }
    }
  }

  const SchemaOptions& options_;
  ResourceIndex index_;
  CompiledSchema compiled_;
  std::vector<const Json*> sources_;  // The subschemas, by number.
  std::size_t next_ = 0;              // The first one not compiled yet.
  std::unordered_map<const Json*, SubschemaId> ids_;
  std::map<std::string, std::size_t> anchor_names_;
  std::map<std::size_t, std::uint8_t> vocabularies_by_resource_;
  std::uint8_t vocabularies_ = 0;  // In the current object.
};

}  // namespace

Result<CompiledSchema> compile_schema(const Json& schema,
                                      const SchemaOptions& options) {
  return SchemaCompiler(options).compile(schema);
}

}  // namespace lamarck::schema
