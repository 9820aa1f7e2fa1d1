#include "lamarck/server/mcp/internal/mcp_catalog.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_message.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"

namespace lamarck::mcp {
namespace {

// Preserves the order of members, so that a schema is sent as it was written.
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kStaticHints =
    R"("ttlMs":60000,"cacheScope":"public")";
constexpr std::string_view kChangingHints =
    R"("ttlMs":0,"cacheScope":"private")";
constexpr std::string_view kCursorPrefix = "page-";

Error wrong_entry(std::string_view kind, std::string_view name,
                  std::string_view why) {
  return {ErrorCode::InvalidArgument, "The " + std::string(kind) + " " +
                                          in_quotes(name) + " " +
                                          std::string(why) + "."};
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= 128 &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
         });
}

bool has_type_object(const Json& schema) {
  const std::string* type = find_string(schema, "type");
  return type != nullptr && *type == "object";
}

void add_text(OrderedJson& item, const char* name, const std::string& text) {
  if (!text.empty()) item[name] = text;
}

std::string dump_ordered(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// Legacy clients accept an outputSchema only if its type is object.
std::string tool_item(const Tool& tool, bool has_object_output, Era era) {
  OrderedJson item;
  item["name"] = tool.name;
  add_text(item, "title", tool.title);
  add_text(item, "description", tool.description);
  item["inputSchema"] = OrderedJson::parse(tool.input_schema);
  if (!tool.output_schema.empty() &&
      (era == Era::Modern || has_object_output)) {
    item["outputSchema"] = OrderedJson::parse(tool.output_schema);
  }
  item["annotations"] = {{"readOnlyHint", tool.read_only},
                         {"destructiveHint", tool.destructive},
                         {"idempotentHint", tool.idempotent},
                         {"openWorldHint", tool.open_world}};
  return dump_ordered(item);
}

std::string prompt_item(const Prompt& prompt) {
  OrderedJson item;
  item["name"] = prompt.name;
  add_text(item, "title", prompt.title);
  add_text(item, "description", prompt.description);
  OrderedJson arguments = OrderedJson::array();
  for (const PromptArgument& argument : prompt.arguments) {
    OrderedJson entry;
    entry["name"] = argument.name;
    add_text(entry, "description", argument.description);
    entry["required"] = argument.required;
    arguments.push_back(std::move(entry));
  }
  if (!arguments.empty()) item["arguments"] = std::move(arguments);
  return dump_ordered(item);
}

template <class Entry>
std::string resource_item(const char* address_name, const std::string& address,
                          const Entry& entry) {
  OrderedJson item;
  item[address_name] = address;
  item["name"] = entry.name;
  add_text(item, "title", entry.title);
  add_text(item, "description", entry.description);
  add_text(item, "mimeType", entry.mime_type);
  return dump_ordered(item);
}

std::string joined(const std::vector<std::string>& items, std::size_t begin,
                   std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (i != begin) text += ',';
    text += items[i];
  }
  return text;
}

// The index of the page; nullopt for an unknown cursor.
std::optional<std::size_t> page_index(std::string_view cursor) {
  if (cursor.empty()) return 0;
  if (!cursor.starts_with(kCursorPrefix)) return std::nullopt;
  cursor.remove_prefix(kCursorPrefix.size());
  std::size_t index = 0;
  const char* end = cursor.data() + cursor.size();
  const auto [stop, error] = std::from_chars(cursor.data(), end, index);
  // "page-0" is never issued, since the first page has no cursor.
  if (error != std::errc() || stop != end || index == 0) return std::nullopt;
  return index;
}

std::string_view list_member(McpMethod list) {
  switch (list) {
    case McpMethod::ListTools:
      return "tools";
    case McpMethod::ListPrompts:
      return "prompts";
    case McpMethod::ListTemplates:
      return "resourceTemplates";
    default:
      return "resources";
  }
}

Result<CatalogTool> compile_tool(const Tool& tool) {
  ASSIGN_OR_RETURN(Json input, parse_json(tool.input_schema));
  if (!has_type_object(input)) {
    return Error(ErrorCode::InvalidArgument,
                 "The input schema must have \"type\": \"object\".");
  }
  ASSIGN_OR_RETURN(schema::JsonSchema compiled,
                   schema::JsonSchema::compile(input));
  ASSIGN_OR_RETURN(std::vector<HeaderMark> marks, find_header_marks(input));
  CatalogTool entry{&tool, std::make_shared<const Json>(std::move(input)),
                    std::move(compiled), std::nullopt, std::move(marks)};
  if (!tool.output_schema.empty()) {
    ASSIGN_OR_RETURN(const Json output, parse_json(tool.output_schema));
    ASSIGN_OR_RETURN(schema::JsonSchema checked,
                     schema::JsonSchema::compile(output));
    entry.output = std::move(checked);
  }
  return entry;
}

}  // namespace

McpCatalog::McpCatalog(Registry registry, std::size_t page_size)
    : registry_(std::move(registry)),
      page_size_(std::max<std::size_t>(page_size, 1)) {}

Result<std::unique_ptr<const McpCatalog>> McpCatalog::create(
    Registry registry, std::size_t page_size) {
  // The constructor is private.
  std::unique_ptr<McpCatalog> catalog(
      new McpCatalog(std::move(registry), page_size));
  RETURN_IF_ERROR(catalog->add_tools());
  RETURN_IF_ERROR(catalog->add_resources());
  RETURN_IF_ERROR(catalog->add_prompts());
  RETURN_IF_ERROR(catalog->add_completers());
  catalog->write_lists();
  return std::unique_ptr<const McpCatalog>(std::move(catalog));
}

Result<void> McpCatalog::add_tools() {
  for (const Tool& tool : registry_.tools) {
    if (!is_tool_name(tool.name)) {
      return wrong_entry(
          "tool", tool.name,
          "must have a name of 1 to 128 characters from A-Z a-z 0-9 _ . -");
    }
    if (!tool.call) return wrong_entry("tool", tool.name, "has no handler");
    auto entry = compile_tool(tool);
    if (!entry.has_value()) {
      return entry.error().within("The tool " + in_quotes(tool.name));
    }
    if (!tools_.try_emplace(tool.name, *std::move(entry)).second) {
      return wrong_entry("tool", tool.name, "is registered twice");
    }
  }
  return {};
}

Result<void> McpCatalog::add_resources() {
  for (const Resource& resource : registry_.resources) {
    if (!resource.read) {
      return wrong_entry("resource", resource.uri, "has no handler");
    }
    if (!resources_.try_emplace(resource.uri, &resource).second) {
      return wrong_entry("resource", resource.uri, "is registered twice");
    }
  }
  for (const ResourceTemplate& family : registry_.templates) {
    if (!family.read) {
      return wrong_entry("template", family.uri_template, "has no handler");
    }
    // find_template() returns the first entry of this name.
    if (find_template(family.uri_template) != &family) {
      return wrong_entry("template", family.uri_template,
                         "is registered twice");
    }
    ASSIGN_OR_RETURN(UriTemplate parsed,
                     UriTemplate::parse(family.uri_template));
    templates_.push_back(std::move(parsed));
  }
  return {};
}

Result<void> McpCatalog::add_prompts() {
  for (const Prompt& prompt : registry_.prompts) {
    if (prompt.name.empty() || !prompt.render) {
      return wrong_entry("prompt", prompt.name,
                         "must have a name and a handler");
    }
    if (!prompts_.try_emplace(prompt.name, &prompt).second) {
      return wrong_entry("prompt", prompt.name, "is registered twice");
    }
  }
  return {};
}

Result<void> McpCatalog::add_completers() {
  for (const Completer& completer : registry_.completers) {
    if (!completer.complete) {
      return wrong_entry("completer of", completer.of, "has no handler");
    }
    if (find_prompt(completer.of) == nullptr &&
        find_template(completer.of) == nullptr) {
      return wrong_entry("completer of", completer.of,
                         "must belong to a prompt or a template");
    }
  }
  return {};
}

bool McpCatalog::has(McpFeature feature) const {
  switch (feature) {
    case McpFeature::Tools:
      return !registry_.tools.empty();
    case McpFeature::Resources:
      return !registry_.resources.empty() || !registry_.templates.empty();
    case McpFeature::Prompts:
      return !registry_.prompts.empty();
    case McpFeature::Completions:
      return !registry_.completers.empty();
    case McpFeature::Always:
      break;
  }
  return true;
}

bool McpCatalog::has_changing_resources() const {
  return std::ranges::any_of(
      registry_.templates,
      [](const ResourceTemplate& family) { return bool(family.list); });
}

const CatalogTool* McpCatalog::find_tool(std::string_view name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : &found->second;
}

const Prompt* McpCatalog::find_prompt(std::string_view name) const {
  const auto found = prompts_.find(name);
  return found == prompts_.end() ? nullptr : found->second;
}

const ResourceTemplate* McpCatalog::find_template(
    std::string_view uri_template) const {
  const auto found = std::ranges::find(registry_.templates, uri_template,
                                       &ResourceTemplate::uri_template);
  return found == registry_.templates.end() ? nullptr : &*found;
}

const Completer* McpCatalog::find_completer(std::string_view of,
                                            std::string_view argument) const {
  for (const Completer& completer : registry_.completers) {
    if (completer.of == of && completer.argument == argument) {
      return &completer;
    }
  }
  return nullptr;
}

std::optional<CatalogSource> McpCatalog::find_source(
    std::string_view uri) const {
  if (const auto found = resources_.find(uri); found != resources_.end()) {
    return CatalogSource{found->second, nullptr, {}};
  }
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    if (auto values = templates_[i].match(uri); values.has_value()) {
      return CatalogSource{nullptr, &registry_.templates[i],
                           *std::move(values)};
    }
  }
  return std::nullopt;
}

std::string McpCatalog::capabilities(Era era, std::string_view version) const {
  OrderedJson all = OrderedJson::object();
  const OrderedJson changes = {{"listChanged", true}};
  if (has(McpFeature::Tools)) all["tools"] = changes;
  if (has(McpFeature::Resources)) {
    all["resources"] = {{"subscribe", true}, {"listChanged", true}};
  }
  if (has(McpFeature::Prompts)) all["prompts"] = changes;
  // That version has the method, but not the capability.
  if (has(McpFeature::Completions) && version != "2024-11-05") {
    all["completions"] = OrderedJson::object();
  }
  all["logging"] = OrderedJson::object();
  if (era == Era::Modern) {
    all["extensions"] = {{std::string(kTasksExtension), OrderedJson::object()}};
  }
  return dump_ordered(all);
}

void McpCatalog::write_lists() {
  OrderedJson info = {{"name", registry_.server_name}};
  add_text(info, "title", registry_.server_title);
  info["version"] = registry_.server_version;
  server_info_ = dump_ordered(info);
  meta_ =
      R"("_meta":{"io.modelcontextprotocol/serverInfo":)" + server_info_ + "}";
  std::string discover = R"({"supportedVersions":[")" +
                         std::string(kModernVersion) + R"("],"capabilities":)" +
                         capabilities(Era::Modern, kModernVersion);
  if (!registry_.instructions.empty()) {
    discover += R"(,"instructions":)" + json_quoted(registry_.instructions);
  }
  discover_ = modern_result(discover + "}", kStaticHints, meta_);

  for (const Era era : {Era::Modern, Era::Legacy}) {
    std::vector<std::string> tools;
    for (const Tool& tool : registry_.tools) {
      const auto output = parse_json(tool.output_schema);
      tools.push_back(
          tool_item(tool, output.has_value() && has_type_object(*output), era));
    }
    std::vector<std::string> prompts;
    for (const Prompt& prompt : registry_.prompts) {
      prompts.push_back(prompt_item(prompt));
    }
    std::vector<std::string> templates;
    for (const ResourceTemplate& family : registry_.templates) {
      templates.push_back(
          resource_item("uriTemplate", family.uri_template, family));
    }
    // Pages are rendered once per era; only changing resources are rendered on
    // request.
    const auto keep = [&](McpMethod list,
                          const std::vector<std::string>& items) {
      Pages& pages = pages_[list];
      (era == Era::Modern ? pages.modern : pages.legacy) =
          write_pages(list_member(list), items, era);
    };
    keep(McpMethod::ListTools, tools);
    keep(McpMethod::ListPrompts, prompts);
    keep(McpMethod::ListTemplates, templates);
    if (!has_changing_resources()) {
      keep(McpMethod::ListResources, resource_items());
    }
  }
}

std::vector<std::string> McpCatalog::write_pages(
    std::string_view member, const std::vector<std::string>& items,
    Era era) const {
  const bool is_changing = member == "resources" && has_changing_resources();
  std::vector<std::string> pages;
  for (std::size_t begin = 0; begin == 0 || begin < items.size();
       begin += page_size_) {
    const std::size_t end = std::min(items.size(), begin + page_size_);
    std::string page =
        "{\"" + std::string(member) + "\":[" + joined(items, begin, end) + "]";
    if (end < items.size()) {
      page += R"(,"nextCursor":")" + std::string(kCursorPrefix) +
              std::to_string(pages.size() + 1) + "\"";
    }
    page += "}";
    if (era == Era::Modern) {
      // modern_result() would take a schema property named _meta for a member.
      page.insert(1, R"("resultType":"complete",)");
      page.pop_back();
      page.append(",").append(is_changing ? kChangingHints : kStaticHints);
      page.append(",").append(meta_).append("}");
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

std::vector<std::string> McpCatalog::resource_items() const {
  std::vector<std::string> items;
  for (const Resource& resource : registry_.resources) {
    items.push_back(resource_item("uri", resource.uri, resource));
  }
  for (const ResourceTemplate& family : registry_.templates) {
    if (!family.list) continue;
    for (const Resource& resource : family.list()) {
      items.push_back(resource_item("uri", resource.uri, resource));
    }
  }
  return items;
}

std::string McpCatalog::initialize_result(std::string_view version) const {
  std::string result = R"({"protocolVersion":")" + std::string(version) +
                       R"(","capabilities":)" +
                       capabilities(Era::Legacy, version) +
                       R"(,"serverInfo":)" + server_info_;
  if (!registry_.instructions.empty()) {
    result += R"(,"instructions":)" + json_quoted(registry_.instructions);
  }
  return result + "}";
}

std::optional<std::string> McpCatalog::list_result(
    McpMethod list, Era era, std::string_view cursor) const {
  const auto index = page_index(cursor);
  if (!index.has_value()) return std::nullopt;
  const auto page_of =
      [&](const std::vector<std::string>& pages) -> std::optional<std::string> {
    if (*index >= pages.size()) return std::nullopt;
    return pages[*index];
  };
  const auto found = pages_.find(list);
  if (found == pages_.end()) {
    return page_of(write_pages(list_member(list), resource_items(), era));
  }
  return page_of(era == Era::Modern ? found->second.modern
                                    : found->second.legacy);
}

}  // namespace lamarck::mcp
