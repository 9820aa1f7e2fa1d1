// The validated registry with compiled schemas and pre-rendered lists.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/schema/json_schema.h"
#include "lamarck/server/mcp/internal/mcp_headers.h"
#include "lamarck/server/mcp/internal/mcp_methods.h"
#include "lamarck/server/mcp/internal/uri_template.h"
#include "lamarck/server/mcp/registry.h"

namespace lamarck::mcp {

struct CatalogTool {
  const Tool* tool;  // Points into the registry.
  std::shared_ptr<const Json> input_json;
  schema::JsonSchema input;
  std::optional<schema::JsonSchema> output;
  std::vector<HeaderMark> marks;
};

// The handler that reads a URI; exactly one pointer is set. Both point into the
// registry.
struct CatalogSource {
  const Resource* resource = nullptr;
  const ResourceTemplate* family = nullptr;
  UriTemplate::Values values;
};

// Thread safety: immutable after creation.
class McpCatalog {
 public:
  // The error names the invalid entry.
  static Result<std::unique_ptr<const McpCatalog>> create(
      Registry registry, std::size_t page_size);

  bool has(McpFeature feature) const;
  // Returns whether the list of resources is computed for each request.
  bool has_changing_resources() const;

  // These return null if there is none.
  const CatalogTool* find_tool(std::string_view name) const;
  const Prompt* find_prompt(std::string_view name) const;
  const ResourceTemplate* find_template(std::string_view uri_template) const;
  const Completer* find_completer(std::string_view of,
                                  std::string_view argument) const;
  std::optional<CatalogSource> find_source(std::string_view uri) const;

  // Complete result objects.
  const std::string& discover_result() const { return discover_; }
  std::string initialize_result(std::string_view version) const;
  // One page of one of the four lists; nullopt for an unknown cursor.
  std::optional<std::string> list_result(McpMethod list, Era era,
                                         std::string_view cursor) const;

  // The member "_meta":{...serverInfo...} of modern results.
  const std::string& meta() const { return meta_; }

 private:
  struct Pages {
    std::vector<std::string> modern;
    std::vector<std::string> legacy;
  };

  McpCatalog(Registry registry, std::size_t page_size);
  Result<void> add_tools();
  Result<void> add_resources();
  Result<void> add_prompts();
  Result<void> add_completers();
  void write_lists();
  std::vector<std::string> write_pages(std::string_view member,
                                       const std::vector<std::string>& items,
                                       Era era) const;
  std::string capabilities(Era era, std::string_view version) const;
  std::vector<std::string> resource_items() const;

  Registry registry_;
  std::size_t page_size_;
  std::map<std::string, CatalogTool, std::less<>> tools_;
  std::map<std::string, const Prompt*, std::less<>> prompts_;
  std::map<std::string, const Resource*, std::less<>> resources_;
  std::vector<UriTemplate> templates_;  // In the registry's order.
  std::map<McpMethod, Pages> pages_;
  std::string server_info_;
  std::string meta_;
  std::string discover_;
};

}  // namespace lamarck::mcp
