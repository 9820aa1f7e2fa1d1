// What a server offers: its tools, resources and prompts, each in one list.

#pragma once

#include <functional>
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
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
  // Quick ones never wait (for a disk, a model, a client) and are run where the
  // message is read.
  bool is_quick = false;
  // Brief ones wait for a disk at most. Over stdio they are run where the
  // message is read: in the order in which they were sent, and without a change
  // of threads.
  bool is_brief = false;
  // `arguments` obey the input schema, after strings that spell numbers,
  // booleans, arrays or objects have been taken for these.
  std::function<Outcome(CallContext&, const Json& arguments)> call;
};

struct ResourceText {
  std::string mime_type = "application/json";
  std::string text;
  bool is_blob = false;  // `text` holds bytes, to be sent as Base64.
};

// One that is always there.
struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::function<Result<ResourceText>(CallContext&)> read;
};

// A family of them: "thought://session/{id}/graph".
struct ResourceTemplate {
  std::string uri_template;  // RFC 6570, level 1.
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  // `values` are the variables' values, decoded, by name. NotFound becomes the
  // era's error.
  std::function<Result<ResourceText>(
      CallContext&, const std::map<std::string, std::string>& values)>
      read;
  // NotFound unless there is the one of these values, for those who subscribe
  // to it; empty = there are all that match.
  std::function<Result<void>(const std::map<std::string, std::string>& values)>
      check;
  // Those of the family that there are, for resources/list; may be empty.
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
  // Complete holds {"messages": [...]}, perhaps with a "description".
  std::function<Outcome(CallContext&,
                        const std::map<std::string, std::string>& arguments)>
      render;
};

// Proposes values that begin with `value` for an argument of a prompt or a
// variable of a template; `known` are the others already given.
struct Completer {
  std::string of;  // The prompt's name or the uri_template.
  std::string argument;
  std::function<std::vector<std::string>(
      std::string_view value, const std::map<std::string, std::string>& known)>
      complete;
};

// Filled before the server starts, then only read. Names and URIs are unique,
// the schemas compile, x-mcp-header marks are legal: else the server does not
// start, in a sentence that names the entry.
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
