#include "lamarck/agent/mcp_client.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/version.h"

namespace lamarck::agent {
namespace {

constexpr std::string_view kProtocol = "2025-06-18";
constexpr std::size_t kMaxLine = std::size_t{16} << 20;
constexpr std::size_t kMaxPages = 100;

std::vector<std::string> server_environment(const McpServerOptions& options) {
  std::vector<std::string> all;
  for (const char* name : {"PATH", "HOME", "LANG", "TMPDIR", "USER"}) {
    if (const char* value = std::getenv(name)) {
      all.push_back(std::string(name) + "=" + value);
    }
  }
  all.insert(all.end(), options.environment.begin(), options.environment.end());
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Starts the program with `end` as its standard input and output.
Result<pid_t> spawn_server(const McpServerOptions& options, int end) {
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment = server_environment(options);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  pid_t child = -1;
  const int status =
      posix_spawnp(&child, command[0].c_str(), &actions, nullptr,
                   pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (status == 0) return child;
  return Error(
      ErrorCode::NotFound,
      fmt::format("Cannot start the MCP server {}: {}: {}.",
                  in_quotes(options.name), in_quotes(options.command[0]),
                  std::strerror(status)));
}

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

struct McpClient::State {
  McpServerOptions options;
  Json server_info;
  int socket = -1;  // Our end.
  pid_t child = -1;
  std::thread reader;

  std::mutex mutex;
  // Guarded by mutex.
  std::int64_t next_id = 1;
  std::map<std::int64_t, std::optional<Json>> waiting;  // Replies by id.
  bool has_ended = false;
  std::condition_variable_any changed;

  bool send(const Json& message) {
    const std::string line = dump_json(message) + "\n";
    std::string_view left = line;
    while (!left.empty()) {
      // Not a signal but an error if the server has ended.
      const ssize_t count =
          ::send(socket, left.data(), left.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      left.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void take(const std::string& line) {
    const auto json = parse_json(line, {.depth = 100});
    if (!json || !json->is_object() || !json->contains("id")) return;
    const Json& id = (*json)["id"];
    if (json->contains("method")) {
      // The server asks us; only ping has an answer.
      const bool is_ping = (*json)["method"] == "ping";
      Json reply = {{"jsonrpc", "2.0"}, {"id", id}};
      if (is_ping) {
        reply["result"] = Json::object();
      } else {
        reply["error"] = {{"code", -32601}, {"message", "Method not found"}};
      }
      const std::lock_guard lock(mutex);
      send(reply);
      return;
    }
    if (!id.is_number_integer()) return;
    const std::lock_guard lock(mutex);
    const auto found = waiting.find(id.get<std::int64_t>());
    if (found != waiting.end()) found->second = *json;
    changed.notify_all();
  }

  void read_all() {
    std::string line;
    std::vector<char> buffer(65'536);
    while (true) {
      const ssize_t count = recv(socket, buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      for (ssize_t i = 0; i < count; ++i) {
        const char c = buffer[static_cast<std::size_t>(i)];
        if (c != '\n') {
          line += c;
          continue;
        }
        take(line);
        line.clear();
      }
      if (line.size() > kMaxLine) break;
    }
    const std::lock_guard lock(mutex);
    has_ended = true;
    changed.notify_all();
  }

  // Waits for the child, for up to `time`; returns whether it has ended.
  bool wait_for_child(std::chrono::milliseconds time) const {
    for (auto waited = std::chrono::milliseconds(0); waited < time;
         waited += std::chrono::milliseconds(10)) {
      if (waitpid(child, nullptr, WNOHANG) != 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  ~State() {
    if (socket >= 0) shutdown(socket, SHUT_WR);
    if (child > 0 && !wait_for_child(std::chrono::milliseconds(2000))) {
      kill(child, SIGTERM);
      if (!wait_for_child(std::chrono::milliseconds(2000))) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
    }
    if (socket >= 0) shutdown(socket, SHUT_RDWR);
    if (reader.joinable()) reader.join();
    if (socket >= 0) close(socket);
  }
};

McpClient::McpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
McpClient::~McpClient() = default;

const McpServerOptions& McpClient::options() const { return state_->options; }
const Json& McpClient::server_info() const { return state_->server_info; }

Result<std::shared_ptr<McpClient>> McpClient::start(McpServerOptions options,
                                                    const CancelToken& cancel) {
  if (options.command.empty()) {
    return invalid_argument("An MCP server needs a command.");
  }
  auto state = std::make_unique<State>();
  state->options = std::move(options);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error(ErrorCode::IoFailed,
                 fmt::format("Cannot connect to an MCP server: {}.",
                             std::strerror(errno)));
  }
  state->socket = ends[0];
  const auto child = spawn_server(state->options, ends[1]);
  close(ends[1]);
  if (!child) return child.error();
  state->child = *child;
  state->reader = std::thread([raw = state.get()] { raw->read_all(); });
  const std::shared_ptr<McpClient> client(new McpClient(std::move(state)));
  auto reply = client->request(
      "initialize",
      {{"protocolVersion", kProtocol},
       {"capabilities", Json::object()},
       {"clientInfo", {{"name", "lamarck"}, {"version", version()}}}},
      cancel);
  if (!reply) return reply.error();
  client->state_->server_info = reply->value("serverInfo", Json::object());
  const std::lock_guard lock(client->state_->mutex);
  client->state_->send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return client;
}

Result<Json> McpClient::request(std::string_view method, const Json& params,
                                const CancelToken& cancel) {
  State& state = *state_;
  const std::string name = in_quotes(state.options.name);
  std::unique_lock lock(state.mutex);
  const std::int64_t id = state.next_id++;
  state.waiting.emplace(id, std::nullopt);
  const bool was_sent = state.send(
      {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  const auto is_over = [&] {
    return state.has_ended || state.waiting[id].has_value();
  };
  if (was_sent) {
    state.changed.wait_for(lock, cancel.stop_token(), state.options.timeout,
                           is_over);
  }
  const std::optional<Json> reply = std::move(state.waiting[id]);
  state.waiting.erase(id);
  if (!reply) {
    if (state.has_ended || !was_sent) {
      return Error(ErrorCode::Unavailable,
                   "The MCP server " + name + " has ended.");
    }
    state.send({{"jsonrpc", "2.0"},
                {"method", "notifications/cancelled"},
                {"params", {{"requestId", id}, {"reason", "given up"}}}});
    RETURN_IF_ERROR(cancel.check());
    return Error(ErrorCode::Timeout,
                 fmt::format("The MCP server {} did not answer within {}.",
                             name, to_readable(state.options.timeout)));
  }
  if (reply->contains("error")) {
    const Json error = reply->value("error", Json::object());
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The MCP server {} reports: {}", name,
                             one_line(error.value("message", ""), 300)));
  }
  return reply->value("result", Json::object());
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
        "An MCP server must be given as NAME=COMMAND with its arguments, got " +
        in_quotes(text) + ".");
  }
  return options;
}

}  // namespace lamarck::agent
