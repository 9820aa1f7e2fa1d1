#include "lamarck/llm/scripted_server_fixture.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/ensure.h"

namespace lamarck::llm {
namespace {

// How often threads check whether the server stops.
constexpr int kPollMilliseconds = 10;

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

  // Returns false if no event occurs within the poll time.
  bool is_ready(short events) const {
    pollfd entry{.fd = descriptor_, .events = events, .revents = 0};
    return ::poll(&entry, 1, kPollMilliseconds) > 0;
  }
  // Makes close() send a reset instead of an orderly end.
  void reset_on_close() const {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  }

 private:
  int descriptor_;
};

Socket listen_locally() {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  ENSURE(socket.is_open() &&
             ::bind(socket.descriptor(), generic, sizeof(address)) == 0 &&
             ::listen(socket.descriptor(), 64) == 0,
         "a free local port can be opened");
  return socket;
}

int port_of(const Socket& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ::getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address),
                &size);
  return ntohs(address.sin_port);
}

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at == std::string_view::npos) return length;
  head.remove_prefix(at + kName.size());
  std::from_chars(head.data(), head.data() + head.size(), length);
  return length;
}

// The connection of one client.
class Conversation {
 public:
  Conversation(Socket socket, CancelToken stop)
      : socket_(std::move(socket)), stop_(std::move(stop)) {}

  // Returns nullopt once the client disconnects or the server stops.
  std::optional<ServerRequest> next_request() {
    std::size_t head_size = std::string::npos;
    while ((head_size = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return std::nullopt;
    }
    ServerRequest request{.head = received_.substr(0, head_size), .body = {}};
    received_.erase(0, head_size + 4);
    const std::size_t length = content_length(request.head);
    while (received_.size() < length) {
      if (!receive()) return std::nullopt;
    }
    request.body = received_.substr(0, length);
    received_.erase(0, length);
    return request;
  }

  // Returns whether the connection stays open.
  bool play(const ServerScene& scene) {
    for (const ServerScene::Step& step : scene.steps) {
      do {
        if (!play(step)) return false;
      } while (step.is_endless);
    }
    if (scene.resets) socket_.reset_on_close();
    return !scene.closes && !scene.resets;
  }

 private:
  bool play(const ServerScene::Step& step) {
    const std::size_t piece =
        step.piece_size > 0 ? step.piece_size : step.bytes.size();
    std::size_t at = 0;
    do {
      if (!wait(step.wait)) return false;
      if (!send(std::string_view(step.bytes).substr(at, piece))) return false;
      at += piece;
    } while (at < step.bytes.size());
    return true;
  }

  // Returns false if the client disconnects or the server stops before the end.
  bool wait(std::chrono::milliseconds duration) {
    const SystemClock clock;
    const auto end = clock.elapsed() + duration;
    while (clock.elapsed() < end) {
      if (stop_.is_cancelled() || has_hung_up()) return false;
    }
    return !stop_.is_cancelled();
  }
  bool has_hung_up() const {
    char byte = 0;
    return socket_.is_ready(POLLIN) &&
           ::recv(socket_.descriptor(), &byte, 1, MSG_PEEK) <= 0;
  }

  bool send(std::string_view bytes) {
    while (!bytes.empty() && !stop_.is_cancelled()) {
      if (!socket_.is_ready(POLLOUT)) continue;
      const auto sent = ::send(socket_.descriptor(), bytes.data(), bytes.size(),
                               MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return bytes.empty();
  }

  bool receive() {
    char buffer[4096];
    while (!stop_.is_cancelled()) {
      if (!socket_.is_ready(POLLIN)) continue;
      const auto size = ::recv(socket_.descriptor(), buffer, sizeof(buffer), 0);
      if (size <= 0) return false;
      received_.append(buffer, static_cast<std::size_t>(size));
      return true;
    }
    return false;
  }

  Socket socket_;
  CancelToken stop_;
  std::string received_;
};

}  // namespace

struct ScriptedServer::State {
  explicit State(std::vector<ServerScene> played)
      : scenes(std::move(played)), listener(listen_locally()) {}

  void accept_all() {
    while (!stop.token().is_cancelled()) {
      if (!listener.is_ready(POLLIN)) continue;
      Socket client(
          ::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.is_open()) continue;
      ++connections;
      conversations.emplace_back([this, socket = std::move(client)]() mutable {
        serve(std::move(socket));
      });
    }
  }

  void serve(Socket client) {
    Conversation conversation(std::move(client), stop.token());
    while (auto request = conversation.next_request()) {
      const ServerScene& scene = record(std::move(*request));
      const bool stays_open = conversation.play(scene);
      --busy;
      if (!stays_open) return;
    }
  }

  const ServerScene& record(ServerRequest request) {
    const std::lock_guard lock(mutex);
    requests.push_back(std::move(request));
    max_busy = std::max(max_busy, ++busy);
    return scenes[std::min(requests.size(), scenes.size()) - 1];
  }

  const std::vector<ServerScene> scenes;
  const Socket listener;
  CancelSource stop;
  std::atomic<std::size_t> connections = 0;
  std::atomic<std::size_t> busy = 0;
  mutable std::mutex mutex;
  // Guarded by mutex.
  std::vector<ServerRequest> requests;
  std::size_t max_busy = 0;

  std::vector<std::jthread> conversations;  // Used by `acceptor` only.
  std::jthread acceptor;
};

ScriptedServer::ScriptedServer(std::vector<ServerScene> scenes) {
  REQUIRE(!scenes.empty(), "ScriptedServer: scenes must not be empty.");
  state_ = std::make_unique<State>(std::move(scenes));
  state_->acceptor =
      std::jthread([state = state_.get()] { state->accept_all(); });
}

ScriptedServer::~ScriptedServer() { state_->stop.cancel("The test is over."); }

std::string ScriptedServer::base_url() const {
  return "http://127.0.0.1:" + std::to_string(port_of(state_->listener)) +
         "/v1";
}

std::vector<ServerRequest> ScriptedServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

std::size_t ScriptedServer::connection_count() const {
  return state_->connections;
}

std::size_t ScriptedServer::max_concurrent_requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->max_busy;
}

}  // namespace lamarck::llm
