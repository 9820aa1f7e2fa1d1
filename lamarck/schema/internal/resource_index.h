// An index of everything that `$ref` can refer to: documents, the resources
// that `$id` starts within them, and their anchors.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::schema {

struct SchemaResource {
  std::string uri;                             // Without a fragment.
  const Json* root = nullptr;                  // Points into the document.
  std::optional<std::size_t> parent;           // The enclosing resource.
  std::map<std::string, const Json*> anchors;  // Including dynamic ones.
  std::map<std::string, const Json*> dynamic_anchors;
};

struct SchemaPlace {
  std::size_t resource = 0;
  std::string location;  // "/properties/a", or "uri#/properties/a".
};

struct SchemaTarget {
  const Json* schema = nullptr;
  std::string anchor;  // The fragment, if it is a plain name.
};

// Documents must outlive the index.
class ResourceIndex {
 public:
  // The first document is the schema itself. If a URI is used twice, the first
  // document keeps it.
  Result<void> add_document(const Json& document, std::string_view uri);

  // Resolves `reference` within `resource`; the target is null if there is
  // none. Adds the built-in meta-schemas on the first reference to one.
  Result<SchemaTarget> resolve(std::size_t resource,
                               const std::string& reference);
  Result<const SchemaResource*> find_resource(const std::string& uri);

  // REQUIRES: the index has found or resolved `schema`.
  const SchemaPlace& place(const Json& schema) const;
  const SchemaResource& resource(std::size_t number) const {
    return resources_[number];
  }

 private:
  struct Found {
    const Json* schema = nullptr;
    SchemaPlace place;
  };

  Result<void> scan(const Json& schema, SchemaPlace place);
  Result<void> add_schema(Found& found);
  Result<void> add_resource(Found& found, const Json& id);
  Result<void> add_anchor(const Found& found, const char* keyword);
  Result<void> add_meta_schemas();
  Result<const Json*> follow_pointer(std::size_t resource,
                                     std::string_view pointer);

  std::vector<SchemaResource> resources_;
  std::unordered_map<std::string, std::size_t> by_uri_;
  std::unordered_map<const Json*, SchemaPlace> places_;
  bool has_meta_schemas_ = false;
};

}  // namespace lamarck::schema
