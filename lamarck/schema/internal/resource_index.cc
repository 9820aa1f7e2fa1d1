#include "lamarck/schema/internal/resource_index.h"

#include <utility>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/schema/internal/child_schemas.h"
#include "lamarck/schema/internal/json_pointer.h"
#include "lamarck/schema/internal/meta_schemas.h"
#include "lamarck/schema/internal/uri_reference.h"

namespace lamarck::schema {
namespace {

std::string without_fragment(UriReference uri) {
  uri.fragment.reset();
  return join_uri(uri);
}

Error schema_fault(const SchemaPlace& place, const std::string& keyword,
                   const std::string& what_is_wrong) {
  return {ErrorCode::InvalidArgument,
          fmt::format("The schema is invalid at '{}/{}': {}.", place.location,
                      keyword, what_is_wrong),
          {{"schema_path", place.location + "/" + keyword}}};
}

}  // namespace

Result<void> ResourceIndex::add_document(const Json& document,
                                         std::string_view uri) {
  const bool is_first = resources_.empty();
  std::string base = without_fragment(split_uri(uri));
  const std::string prefix = is_first ? "" : base + "#";
  resources_.push_back({base, &document, std::nullopt, {}, {}});
  by_uri_.try_emplace(std::move(base), resources_.size() - 1);
  return scan(document, {resources_.size() - 1, prefix});
}

// Uses an explicit stack, so that deep schemas cannot overflow the call stack.
Result<void> ResourceIndex::scan(const Json& schema, SchemaPlace place) {
  std::vector<Found> open;
  open.push_back({&schema, std::move(place)});
  while (!open.empty()) {
    Found found = std::move(open.back());
    open.pop_back();
    if (places_.contains(found.schema)) continue;
    RETURN_IF_ERROR(add_schema(found));
    for (ChildSchema& child : child_schemas(*found.schema)) {
      open.push_back({child.schema,
                      {found.place.resource,
                       found.place.location + std::move(child.location)}});
    }
  }
  return {};
}

// Registers the schema's id and anchors. If the schema starts a resource,
// changes the place to it.
Result<void> ResourceIndex::add_schema(Found& found) {
  if (found.schema->is_object()) {
    const auto id = found.schema->find("$id");
    if (id != found.schema->end()) RETURN_IF_ERROR(add_resource(found, *id));
    RETURN_IF_ERROR(add_anchor(found, "$anchor"));
    RETURN_IF_ERROR(add_anchor(found, "$dynamicAnchor"));
  }
  places_.emplace(found.schema, found.place);
  return {};
}

Result<void> ResourceIndex::add_resource(Found& found, const Json& id) {
  if (!id.is_string()) {
    return schema_fault(found.place, "$id", "it must be a string");
  }
  const std::size_t outer = found.place.resource;
  const UriReference uri =
      resolve_uri(resources_[outer].uri, id.get_ref<const std::string&>());
  if (!uri.fragment.value_or("").empty()) {
    return schema_fault(found.place, "$id", "it must not have a fragment");
  }
  std::string text = without_fragment(uri);
  // The `$id` of a document's root names the document itself.
  if (found.schema == resources_[outer].root) {
    by_uri_.try_emplace(text, outer);
    resources_[outer].uri = std::move(text);
    return {};
  }
  found.place.resource = resources_.size();
  by_uri_.try_emplace(text, resources_.size());
  resources_.push_back({std::move(text), found.schema, outer, {}, {}});
  return {};
}

Result<void> ResourceIndex::add_anchor(const Found& found,
                                       const char* keyword) {
  const auto anchor = found.schema->find(keyword);
  if (anchor == found.schema->end()) return {};
  if (!anchor->is_string()) {
    return schema_fault(found.place, keyword, "it must be a string");
  }
  SchemaResource& resource = resources_[found.place.resource];
  const auto& name = anchor->get_ref<const std::string&>();
  const auto [known, is_new] = resource.anchors.emplace(name, found.schema);
  if (!is_new && known->second != found.schema) {
    return schema_fault(
        found.place, keyword,
        fmt::format("{} is already used for another place in the same schema",
                    in_quotes(name)));
  }
  if (std::string_view(keyword) == "$dynamicAnchor") {
    resource.dynamic_anchors.emplace(name, found.schema);
  }
  return {};
}

Result<void> ResourceIndex::add_meta_schemas() {
  has_meta_schemas_ = true;
  for (const auto& [uri, document] : meta_schemas()) {
    RETURN_IF_ERROR(add_document(document, uri));
  }
  return {};
}

Result<const SchemaResource*> ResourceIndex::find_resource(
    const std::string& uri) {
  const std::string plain = without_fragment(split_uri(uri));
  // Most schemas never refer to a meta-schema, so add them on demand.
  if (!by_uri_.contains(plain) && !has_meta_schemas_ &&
      plain.starts_with(kMetaSchemaPrefix)) {
    RETURN_IF_ERROR(add_meta_schemas());
  }
  const auto found = by_uri_.find(plain);
  return found == by_uri_.end() ? nullptr : &resources_[found->second];
}

Result<const Json*> ResourceIndex::follow_pointer(std::size_t resource,
                                                  std::string_view pointer) {
  const Json* schema = resources_[resource].root;
  SchemaPlace place = places_.at(schema);
  for (const std::string& name : split_pointer(pointer)) {
    schema = pointer_child(*schema, name);
    if (schema == nullptr) return nullptr;
    const auto known = places_.find(schema);
    if (known == places_.end()) {
      place.location += pointer_token(name);
    } else {
      place = known->second;
    }
  }
  if (!schema->is_object() && !schema->is_boolean()) return nullptr;
  // A value below an unknown keyword becomes a schema when it is referred to.
  RETURN_IF_ERROR(scan(*schema, place));
  return schema;
}

Result<SchemaTarget> ResourceIndex::resolve(std::size_t resource,
                                            const std::string& reference) {
  const UriReference uri = resolve_uri(resources_[resource].uri, reference);
  const std::string fragment = percent_decode(uri.fragment.value_or(""));
  const bool is_local = reference.empty() || reference.front() == '#';
  std::size_t number = resource;
  if (!is_local) {
    ASSIGN_OR_RETURN(const SchemaResource* found,
                     find_resource(without_fragment(uri)));
    if (found == nullptr) return SchemaTarget{};
    number = static_cast<std::size_t>(found - resources_.data());
  }
  // A fragment is a JSON pointer or the name of an anchor.
  if (fragment.empty() || fragment.front() == '/') {
    ASSIGN_OR_RETURN(const Json* schema, follow_pointer(number, fragment));
    return SchemaTarget{schema, ""};
  }
  const auto& anchors = resources_[number].anchors;
  const auto anchor = anchors.find(fragment);
  if (anchor == anchors.end()) return SchemaTarget{};
  return SchemaTarget{anchor->second, fragment};
}

const SchemaPlace& ResourceIndex::place(const Json& schema) const {
  const auto found = places_.find(&schema);
  ENSURE(found != places_.end(), "every compiled schema is indexed");
  return found->second;
}

}  // namespace lamarck::schema
