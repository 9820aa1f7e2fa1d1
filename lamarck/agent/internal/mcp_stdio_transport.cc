// A server that is a child process, over its standard input and output.

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
#include <optional>
#include <thread>
#include <nlohmann/json.hpp>

#include "lamarck/agent/internal/mcp_transport.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent::internal {
namespace {

constexpr std::size_t kMaxLine = std::size_t{16} << 20;

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

class StdioTransport final : public McpTransport {
 public:
  explicit StdioTransport(McpServerOptions options)
      : options_(std::move(options)) {}
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  // Closes the server's input and waits; ends it by a signal if it stays.
  ~StdioTransport() override {
    if (socket_ >= 0) shutdown(socket_, SHUT_WR);
    if (child_ > 0 && !wait_for_child(std::chrono::milliseconds(2000))) {
      kill(child_, SIGTERM);
      if (!wait_for_child(std::chrono::milliseconds(2000))) {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
      }
    }
    if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
    if (reader_.joinable()) reader_.join();
    if (socket_ >= 0) close(socket_);
  }

  Result<void> start() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return Error(ErrorCode::IoFailed,
                   fmt::format("Cannot connect to an MCP server: {}.",
                               std::strerror(errno)));
    }
    socket_ = ends[0];
    const auto child = spawn_server(options_, ends[1]);
    close(ends[1]);
    if (!child) return child.error();
    child_ = *child;
    reader_ = std::thread([this] { read_all(); });
    return {};
  }

  Result<Json> request(const Json& message,
                       const CancelToken& cancel) override {
    const std::int64_t id = message["id"].get<std::int64_t>();
    std::unique_lock lock(mutex_);
    waiting_.emplace(id, std::nullopt);
    const bool was_sent = send(message);
    const auto is_over = [&] { return has_ended_ || waiting_[id].has_value(); };
    if (was_sent) {
      changed_.wait_for(lock, cancel.stop_token(), options_.timeout, is_over);
    }
    std::optional<Json> reply = std::move(waiting_[id]);
    waiting_.erase(id);
    if (reply) return std::move(*reply);
    if (has_ended_ || !was_sent) {
      return Error(
          ErrorCode::Unavailable,
          "The MCP server " + in_quotes(options_.name) + " has ended.");
    }
    RETURN_IF_ERROR(cancel.check());
    return late_reply(options_);
  }

  void notify(const Json& message) override {
    const std::lock_guard lock(mutex_);
    send(message);
  }

 private:
  // REQUIRES: mutex_ is held.
  bool send(const Json& message) const {
    const std::string line = dump_json(message) + "\n";
    std::string_view left = line;
    while (!left.empty()) {
      // Not a signal but an error if the server has ended.
      const ssize_t count =
          ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      left.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void take(const std::string& line) {
    const auto json = parse_json(line, {.depth = 100});
    if (!json || !json->is_object() || !json->contains("id")) return;
    const std::lock_guard lock(mutex_);
    if (json->contains("method")) {
      send(answer_to_server(*json));
      return;
    }
    if (!(*json)["id"].is_number_integer()) return;
    const auto found = waiting_.find((*json)["id"].get<std::int64_t>());
    if (found != waiting_.end()) found->second = *json;
    changed_.notify_all();
  }

  void read_all() {
    std::string line;
    std::vector<char> buffer(65'536);
    while (true) {
      const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
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
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }

  // Waits for the child, for up to `time`; returns whether it has ended.
  bool wait_for_child(std::chrono::milliseconds time) const {
    for (auto waited = std::chrono::milliseconds(0); waited < time;
         waited += std::chrono::milliseconds(10)) {
      if (waitpid(child_, nullptr, WNOHANG) != 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  const McpServerOptions options_;
  int socket_ = -1;  // Our end.
  pid_t child_ = -1;
  std::thread reader_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::int64_t, std::optional<Json>> waiting_;  // Replies by id.
  bool has_ended_ = false;
  std::condition_variable_any changed_;
};

}  // namespace

Result<std::unique_ptr<McpTransport>> open_stdio_transport(
    const McpServerOptions& options) {
  auto transport = std::make_unique<StdioTransport>(options);
  RETURN_IF_ERROR(transport->start());
  return std::unique_ptr<McpTransport>(std::move(transport));
}

}  // namespace lamarck::agent::internal
