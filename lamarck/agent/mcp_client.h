// The client side of the Model Context Protocol: the tools of a server that
// runs as a child process and speaks over its standard input and output, or of
// one that is reached over Streamable HTTP.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/agent/tool_registry.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::agent {

struct McpServerOptions {
  std::string name;                  // Its tools are called NAME.TOOL.
  std::vector<std::string> command;  // The program and its arguments, or
  std::string url;                   // http:// or https://.
  std::string token;                 // Sent to the URL as a bearer token.
  // "NAME=value". The server sees these, PATH, HOME, LANG, TMPDIR and USER
  // only, so that no key of ours reaches it.
  std::vector<std::string> environment;
  std::chrono::milliseconds timeout{30'000};  // Per request.
};

// Thread safety: all members may be called from any thread.
class McpClient {
 public:
  // Starts or reaches the server and agrees on a version of the protocol.
  static Result<std::shared_ptr<McpClient>> start(McpServerOptions options,
                                                  const CancelToken& cancel);
  // Ends the session, or the process.
  ~McpClient();
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;

  const McpServerOptions& options() const;
  // The server's name and version, as it says.
  const Json& server_info() const;

  // The descriptions of all tools, from all pages.
  Result<std::vector<Json>> tools(const CancelToken& cancel);
  // The structured content of the result if there is one, the text as JSON if
  // it is JSON, else {"text"}. An error of the tool is InvalidArgument. If the
  // time is up or `cancel` is triggered, the server is told to stop.
  Result<Json> call(std::string_view tool, const Json& arguments,
                    const CancelToken& cancel);

 private:
  struct State;
  explicit McpClient(std::unique_ptr<State> state);
  Result<Json> request(std::string_view method, const Json& params,
                       const CancelToken& cancel);

  std::unique_ptr<State> state_;
};

// Adds the tools of the server as NAME.TOOL. A tool that says that it only
// reads counts as reading, one that says that it destroys as deleting, and any
// other as executing, which needs the agent's white list.
Result<void> add_mcp_tools(ToolRegistry& registry,
                           const std::shared_ptr<McpClient>& client,
                           const CancelToken& cancel);

// Parses NAME=URL, or NAME=COMMAND, whose words are separated by spaces;
// 'quotes' and "quotes" keep spaces.
Result<McpServerOptions> parse_mcp_server(std::string_view text);
// The environment variable with the bearer token of a server, such as
// "LAMARCK_MCP_SALES_TOKEN"; tokens are never flags, which others can see.
std::string mcp_token_variable(std::string_view name);

}  // namespace lamarck::agent
