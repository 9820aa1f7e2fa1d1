#include "lamarck/agent/mcp_client.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/agent/internal/mcp_transport.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/version.h"

namespace lamarck::agent {
namespace {

constexpr std::string_view kProtocol = "2025-06-18";
constexpr std::size_t kMaxPages = 100;

// What the parts of a result say, as text.
std::string result_words(const Json& result) {
  std::string text;
  for (const Json& part : result.value("content", Json::array())) {
    if (part.is_object() && part.value("type", "") == "text") {
      text += (text.empty() ? "" : "\n") + part.value("text", "");
    }
  }
  return text;
}

skills::Capabilities tool_capabilities(const Json& tool) {
  const Json hints = tool.value("annotations", Json::object());
  if (hints.value("readOnlyHint", false)) return {skills::Capability::Reads};
  skills::Capabilities found = {skills::Capability::Executes};
  if (hints.value("destructiveHint", false)) {
    found.add(skills::Capability::Deletes);
  }
  return found;
}

}  // namespace

namespace internal {

Json answer_to_server(const Json& request) {
  Json reply = {{"jsonrpc", "2.0"}, {"id", request["id"]}};
  if (request["method"] == "ping") {
    reply["result"] = Json::object();
  } else {
    reply["error"] = {{"code", -32601}, {"message", "Method not found"}};
  }
  return reply;
}

Error late_reply(const McpServerOptions& options) {
  return {ErrorCode::Timeout,
          fmt::format("The MCP server {} did not answer within {}.",
                      in_quotes(options.name), to_readable(options.timeout))};
}

}  // namespace internal

struct McpClient::State {
  McpServerOptions options;
  Json server_info;
  std::unique_ptr<internal::McpTransport> transport;
  std::atomic<std::int64_t> next_id = 1;
  std::mutex restart;  // Held while a session is started again.

  // The result of one request.
  Result<Json> exchange(std::string_view method, const Json& params,
                        const CancelToken& cancel) {
    const std::int64_t id = next_id++;
    const Result<Json> reply = transport->request({{"jsonrpc", "2.0"},
                                                   {"id", id},
                                                   {"method", method},
                                                   {"params", params}},
                                                  cancel);
    if (!reply) {
      const ErrorCode code = reply.error().code();
      if (code == ErrorCode::Timeout || code == ErrorCode::Cancelled) {
        transport->notify(
            {{"jsonrpc", "2.0"},
             {"method", "notifications/cancelled"},
             {"params", {{"requestId", id}, {"reason", "given up"}}}});
      }
      return reply.error();
    }
    if (reply->contains("error")) {
      const Json error = reply->value("error", Json::object());
      return Error(
          ErrorCode::InvalidArgument,
          fmt::format("The MCP server {} reports: {}", in_quotes(options.name),
                      one_line(error.value("message", ""), 300)));
    }
    return reply->value("result", Json::object());
  }

  Result<void> initialize(const CancelToken& cancel) {
    ASSIGN_OR_RETURN(const Json reply,
                     exchange("initialize",
                              {{"protocolVersion", kProtocol},
                               {"capabilities", Json::object()},
                               {"clientInfo",
                                {{"name", "lamarck"}, {"version", version()}}}},
                              cancel));
    server_info = reply.value("serverInfo", Json::object());
    transport->agree(reply.value("protocolVersion", std::string(kProtocol)));
    transport->notify(
        {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
    return {};
  }
};

McpClient::McpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
McpClient::~McpClient() = default;

const McpServerOptions& McpClient::options() const { return state_->options; }
const Json& McpClient::server_info() const { return state_->server_info; }

Result<std::shared_ptr<McpClient>> McpClient::start(McpServerOptions options,
                                                    const CancelToken& cancel) {
  if (options.command.empty() == options.url.empty()) {
    return invalid_argument("An MCP server needs a command or a URL.");
  }
  auto state = std::make_unique<State>();
  state->options = std::move(options);
  ASSIGN_OR_RETURN(state->transport,
                   state->options.url.empty()
                       ? internal::open_stdio_transport(state->options)
                       : internal::open_http_transport(state->options));
  RETURN_IF_ERROR(state->initialize(cancel));
  return std::shared_ptr<McpClient>(new McpClient(std::move(state)));
}

Result<Json> McpClient::request(std::string_view method, const Json& params,
                                const CancelToken& cancel) {
  Result<Json> result = state_->exchange(method, params, cancel);
  if (result || result.error().code() != ErrorCode::NotFound) return result;
  // The server forgot the session, for example because it was restarted.
  {
    const std::lock_guard lock(state_->restart);
    RETURN_IF_ERROR(state_->initialize(cancel));
  }
  return state_->exchange(method, params, cancel);
}

Result<std::vector<Json>> McpClient::tools(const CancelToken& cancel) {
  std::vector<Json> all;
  Json params = Json::object();
  for (std::size_t page = 0; page < kMaxPages; ++page) {
    ASSIGN_OR_RETURN(const Json reply, request("tools/list", params, cancel));
    for (const Json& tool : reply.value("tools", Json::array())) {
      if (tool.is_object()) all.push_back(tool);
    }
    const Json cursor = reply.value("nextCursor", Json());
    if (!cursor.is_string()) return all;
    params["cursor"] = cursor;
  }
  return Error(ErrorCode::BudgetExceeded,
               fmt::format("The MCP server {} lists more than {} pages of "
                           "tools.",
                           in_quotes(state_->options.name), kMaxPages));
}

Result<Json> McpClient::call(std::string_view tool, const Json& arguments,
                             const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const Json result,
                   request("tools/call",
                           {{"name", tool}, {"arguments", arguments}}, cancel));
  const std::string text = result_words(result);
  if (result.value("isError", false)) {
    return invalid_argument(
        fmt::format("{} failed: {}", tool, one_line(text, 500)));
  }
  if (result.contains("structuredContent")) return result["structuredContent"];
  const Json content = result.value("content", Json::array());
  for (const Json& part : content) {
    if (part.value("type", "") != "text") return Json{{"content", content}};
  }
  if (auto json = parse_json(text, {.depth = 64});
      json && json->is_structured()) {
    return json;
  }
  return Json{{"text", text}};
}

Result<void> add_mcp_tools(ToolRegistry& registry,
                           const std::shared_ptr<McpClient>& client,
                           const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const std::vector<Json> tools, client->tools(cancel));
  for (const Json& tool : tools) {
    const auto name = tool.value("name", "");
    Json schema = tool.value("inputSchema", Json{{"type", "object"}});
    // Servers name older drafts but use what is common to all of them.
    if (schema.is_object()) schema.erase("$schema");
    const Json hints = tool.value("annotations", Json::object());
    RETURN_IF_ERROR(registry.add(
        {.info = {.name = client->options().name + "." + name,
                  .description = tool.value("description", ""),
                  .input_schema = std::move(schema),
                  .capabilities = tool_capabilities(tool),
                  .is_idempotent = hints.value("readOnlyHint", false) ||
                                   hints.value("idempotentHint", false)},
         .limits = {.time = client->options().timeout +
                            std::chrono::milliseconds(1000),
                    .output_bytes = std::size_t{1} << 20},
         .run = [client, name](const Json& arguments,
                               const ToolContext& context) {
           return client->call(name, arguments, context.cancel);
         }}));
  }
  return {};
}

Result<McpServerOptions> parse_mcp_server(std::string_view text) {
  const auto equals = text.find('=');
  McpServerOptions options{.name = std::string(text.substr(0, equals))};
  if (equals != std::string_view::npos && !options.name.empty()) {
    const std::string_view rest = text.substr(equals + 1);
    if (rest.starts_with("http://") || rest.starts_with("https://")) {
      options.url = rest;
      return options;
    }
  }
  std::string word;
  bool is_open = false;
  char quote = '\0';
  for (const char c : equals == std::string_view::npos
                          ? std::string_view()
                          : text.substr(equals + 1)) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      is_open = true;
    } else if (c != ' ') {
      word += c;
      is_open = true;
    } else if (is_open) {
      options.command.push_back(std::exchange(word, ""));
      is_open = false;
    }
  }
  if (is_open) options.command.push_back(word);
  if (options.name.empty() || options.command.empty() || quote != '\0') {
    return invalid_argument(
        "An MCP server must be given as NAME=COMMAND with its arguments, or as "
        "NAME=URL, got " +
        in_quotes(text) + ".");
  }
  return options;
}

std::string mcp_token_variable(std::string_view name) {
  std::string variable = "LAMARCK_MCP_";
  for (const char c : name) {
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_kept =
        is_lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    variable += !is_kept   ? '_'
                : is_lower ? static_cast<char>(c - 'a' + 'A')
                           : c;
  }
  return variable + "_TOKEN";
}

}  // namespace lamarck::agent
