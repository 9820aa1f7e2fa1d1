// The tools, resources and prompts that a server offers.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

// Schemas are JSON texts.
struct Tool {
  std::string name;  // 1 to 128 of [A-Za-z0-9_.-].
  std::string title;
  std::string description;  // For a model: when to call it, with an example.
  std::string input_schema =
      R"({"type":"object","additionalProperties":false})";
  std::string output_schema;  // "" = none.
  // Other names of arguments, which are renamed before they are validated:
  // {{"session_id", "session"}}.
  std::map<std::string, std::string> aliases;
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
  // Quick tools never block (on a disk, a model or a client); they run on the
  // thread that reads the message.
  bool is_nonblocking = false;
  // Brief tools block on a disk at most. Over stdio they run on the thread that
  // reads the message: in order, and without switching threads.
  bool blocks_on_disk_only = false;
  // `arguments` satisfy the input schema. Strings that spell numbers, booleans,
  // arrays or objects have been converted if the schema requires it.
  std::function<Outcome(CallContext&, const Json& arguments)> call;
};

struct ResourceText {
  std::string mime_type = "application/json";
  std::string text;
  bool is_blob = false;  // `text` contains bytes, sent as Base64.
};

// A fixed resource.
struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::function<Result<ResourceText>(CallContext&)> read;
};

// A family of resources, such as "thought://session/{id}/graph".
struct ResourceTemplate {
  std::string uri_template;  // RFC 6570, level 1.
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  // `values` maps variable names to decoded values. NotFound becomes the error
  // of the protocol era.
  std::function<Result<ResourceText>(
      CallContext&, const std::map<std::string, std::string>& values)>
      read;
  // For subscriptions: NotFound unless the resource exists. Empty = every
  // matching URI exists.
  std::function<Result<void>(const std::map<std::string, std::string>& values)>
      check;
  // The existing resources of the family, for resources/list; may be empty.
  std::function<std::vector<Resource>()> list;
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  // Complete contains {"messages": [...]} and optionally a "description".
  std::function<Outcome(CallContext&,
                        const std::map<std::string, std::string>& arguments)>
      render;
};

// Proposes values that start with `value` for an argument of a prompt or a
// variable of a template; `known` contains the other arguments given so far.
struct Completer {
  std::string of;  // The prompt's name or the uri_template.
  std::string argument;
  std::function<std::vector<std::string>(
      std::string_view value, const std::map<std::string, std::string>& known)>
      complete;
};

// Immutable once the server starts. Names and URIs must be unique, schemas must
// compile, and x-mcp-header marks must be legal; otherwise McpServer::create
// fails with an error that names the entry.
struct Registry {
  std::string server_name = "lamarck";
  std::string server_title = "Lamarck";
  std::string server_version;
  std::string instructions;
  std::vector<Tool> tools;
  std::vector<Resource> resources;
  std::vector<ResourceTemplate> templates;
  std::vector<Prompt> prompts;
  std::vector<Completer> completers;
};

}  // namespace lamarck::mcp
