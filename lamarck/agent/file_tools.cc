#include <nlohmann/json.hpp>

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck::agent {
namespace {

using skills::Capability;

constexpr std::size_t kMaxFile = std::size_t{1} << 20;
constexpr std::size_t kMaxEntries = 2000;

Json path_schema(std::string_view what) {
  return {
      {"type", "string"},
      {"minLength", 1},
      {"maxLength", 4096},
      {"description", std::string(what) + " Relative to the workspace, such as "
                                          "data/prices.csv."}};
}

Json object_schema(Json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Result<Json> read_as_json(const std::string& path, const std::string& text) {
  auto value = parse_json(text, {.depth = 64});
  if (!value) return value.error().within(one_line(path));
  return Json{{"path", path}, {"value", std::move(*value)}};
}

Result<Json> read_tool(const Workspace& workspace, const Json& arguments) {
  const auto path = arguments["path"].get<std::string>();
  std::uint64_t size = 0;
  ASSIGN_OR_RETURN(
      const std::string text,
      workspace.read(path, arguments.value("offset", std::uint64_t{0}),
                     arguments.value("max_bytes", std::size_t{200'000}), size));
  if (arguments.value("format", "text") == "json") {
    if (text.size() < size) {
      return invalid_argument("max_bytes must be at least the size of " +
                              in_quotes(path) + ", " + std::to_string(size) +
                              " bytes, to read it as JSON.");
    }
    return read_as_json(path, text);
  }
  if (!is_valid_utf8(text)) {
    return invalid_argument(in_quotes(path) + " is not UTF-8 text.");
  }
  return Json{{"path", path},
              {"text", text},
              {"size_bytes", size},
              {"is_complete", text.size() == size}};
}

Result<Json> write_tool(const Workspace& workspace, const Json& arguments) {
  const auto path = arguments["path"].get<std::string>();
  const Json& content = arguments["content"];
  const std::string bytes = content.is_string() ? content.get<std::string>()
                                                : dump_json(content, 2) + "\n";
  RETURN_IF_ERROR(workspace.write(path, bytes));
  return Json{{"path", path}, {"size_bytes", bytes.size()}};
}

Result<Json> list_tool(const Workspace& workspace, const Json& arguments) {
  ASSIGN_OR_RETURN(
      const auto entries,
      workspace.list(arguments.value("path", "."),
                     arguments.value("recursive", false), kMaxEntries));
  Json list = Json::array();
  for (const WorkspaceEntry& entry : entries) {
    Json one = {{"path", entry.path},
                {"type", entry.is_folder ? "folder" : "file"}};
    if (!entry.is_folder) one["size_bytes"] = entry.size_bytes;
    list.push_back(std::move(one));
  }
  return Json{{"entries", std::move(list)}};
}

Result<Json> delete_tool(const Workspace& workspace, const Json& arguments) {
  const auto path = arguments["path"].get<std::string>();
  RETURN_IF_ERROR(workspace.remove(path));
  return Json{{"path", path}, {"deleted", true}};
}

using FileFunction = Result<Json> (*)(const Workspace&, const Json&);

ToolFunction bound(std::shared_ptr<Workspace> workspace,
                   FileFunction function) {
  return [workspace = std::move(workspace), function](
             const Json& arguments, const ToolContext& /*context*/) {
    return function(*workspace, arguments);
  };
}

Json read_schema() {
  return object_schema(
      {{"path", path_schema("The file.")},
       {"format",
        {{"enum", {"text", "json"}},
         {"description", "json parses the file; the default is text."}}},
       {"offset", {{"type", "integer"}, {"minimum", 0}}},
       {"max_bytes",
        {{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxFile}}}},
      {"path"});
}

}  // namespace

Result<void> add_file_tools(ToolRegistry& registry,
                            std::shared_ptr<Workspace> workspace) {
  const ToolLimits large{.output_bytes = kMaxFile * 2};
  RETURN_IF_ERROR(registry.add(
      {.info = {.name = "file_read",
                .description = "Reads a text or JSON file of the workspace.",
                .input_schema = read_schema(),
                .capabilities = {Capability::Reads},
                .is_idempotent = true},
       .limits = large,
       .run = bound(workspace, read_tool)}));
  RETURN_IF_ERROR(registry.add(
      {.info = {.name = "file_write",
                .description = "Writes a file of the workspace; replaces an "
                               "existing one. Content that is not a string is "
                               "written as JSON.",
                .input_schema = object_schema(
                    {{"path", path_schema("The file.")},
                     {"content", {{"description", "The text, or JSON."}}}},
                    {"path", "content"}),
                .capabilities = {Capability::Writes},
                .is_idempotent = true},
       .limits = {},
       .run = bound(workspace, write_tool)}));
  RETURN_IF_ERROR(
      registry.add({.info = {.name = "file_list",
                             .description = "Lists the files of a folder.",
                             .input_schema = object_schema(
                                 {{"path", path_schema("The folder.")},
                                  {"recursive", {{"type", "boolean"}}}},
                                 {}),
                             .capabilities = {Capability::Reads},
                             .is_idempotent = true},
                    .limits = large,
                    .run = bound(workspace, list_tool)}));
  return registry.add(
      {.info = {.name = "file_delete",
                .description = "Deletes a file or an empty folder.",
                .input_schema = object_schema(
                    {{"path", path_schema("The file.")}}, {"path"}),
                .capabilities = {Capability::Deletes}},
       .limits = {},
       .run = bound(std::move(workspace), delete_tool)});
}

Result<void> add_builtin_tools(ToolRegistry& registry,
                               const BuiltinToolOptions& options) {
  if (options.workspace) {
    RETURN_IF_ERROR(add_file_tools(registry, options.workspace));
    RETURN_IF_ERROR(add_table_tools(registry, options.workspace));
  }
  if (!options.http.allowed_hosts.empty()) {
    RETURN_IF_ERROR(add_http_tools(registry, options.http));
  }
  if (options.has_python) RETURN_IF_ERROR(add_python_tool(registry));
  return add_formula_tool(registry);
}

}  // namespace lamarck::agent
