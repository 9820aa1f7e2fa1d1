#include "lamarck/net/http_server.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/net/internal/http_wire.h"
#include "lamarck/net/internal/server_loop.h"

namespace lamarck::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using internal::ServerLoop;
using internal::ServerShare;

constexpr std::chrono::milliseconds kAcceptRetry{50};

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, Handler handler, Gate gate);
  ~AsioHttpServer() override { stop(std::chrono::milliseconds(0)); }

  Result<void> listen();
  void run();

  std::uint16_t port() const override { return port_; }
  std::size_t connection_count() const override {
    return service_.connection_count;
  }
  void stop(std::chrono::milliseconds grace) override;

 private:
  void accept();
  void on_accepted(const error_code& error, tcp::socket socket,
                   ServerLoop& loop);
  void reject(tcp::socket socket);

  ServerShare service_;
  std::vector<std::unique_ptr<ServerLoop>> loops_;
  tcp::acceptor acceptor_;  // Used on the thread of the first loop.
  asio::steady_timer accept_timer_;
  std::uint16_t port_ = 0;
  std::mutex stop_mutex_;
  bool is_stopped_ = false;  // Guarded by stop_mutex_.
};

std::vector<std::unique_ptr<ServerLoop>> make_loops(ServerShare& service) {
  std::vector<std::unique_ptr<ServerLoop>> loops;
  const std::size_t count = std::max<std::size_t>(1, service.options.threads);
  for (std::size_t i = 0; i < count; ++i) {
    loops.push_back(std::make_unique<ServerLoop>(service));
  }
  return loops;
}

AsioHttpServer::AsioHttpServer(HttpServerOptions options, Handler handler,
                               Gate gate)
    : service_{.options = std::move(options),
               .handler = std::move(handler),
               .gate = std::move(gate)},
      loops_(make_loops(service_)),
      acceptor_(loops_.front()->io),
      accept_timer_(loops_.front()->io) {}

Result<void> AsioHttpServer::listen() {
  const HttpServerOptions& options = service_.options;
  error_code error;
  const auto address = asio::ip::make_address(
      options.address == "localhost" ? "127.0.0.1" : options.address, error);
  if (error) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("Cannot listen on '{}' (port {}): not an IP "
                             "address; use one such as 127.0.0.1 or ::1.",
                             options.address, options.port));
  }
  const tcp::endpoint endpoint(address, options.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return Error(ErrorCode::Unavailable,
                 fmt::format("Cannot listen on {} port {}: {}; use another "
                             "port, or 0 for any free port.",
                             options.address, options.port, error.message()));
  }
  port_ = acceptor_.local_endpoint(error).port();
  return {};
}

void AsioHttpServer::run() {
  asio::post(loops_.front()->io, [this] { accept(); });
  for (const auto& loop : loops_) {
    loop->thread = std::thread([&loop = *loop] { loop.run(); });
  }
}

void AsioHttpServer::accept() {
  if (service_.is_stopping) return;
  // New connections go to the loop with the fewest.
  ServerLoop& loop = **std::min_element(
      loops_.begin(), loops_.end(),
      [](const auto& a, const auto& b) { return a->load < b->load; });
  acceptor_.async_accept(
      loop.io, [this, &loop](const error_code& error, tcp::socket socket) {
        on_accepted(error, std::move(socket), loop);
      });
}

void AsioHttpServer::on_accepted(const error_code& error, tcp::socket socket,
                                 ServerLoop& loop) {
  if (service_.is_stopping) return;
  if (error) {  // Usually temporary, such as too many open files.
    accept_timer_.expires_after(kAcceptRetry);
    accept_timer_.async_wait([this](const error_code& cancelled) {
      if (!cancelled) accept();
    });
    return;
  }
  if (service_.connection_count >= service_.options.max_connections) {
    reject(std::move(socket));
  } else {
    ++service_.connection_count;
    ++loop.load;
    asio::post(loop.io, [&loop, socket = std::move(socket)]() mutable {
      loop.adopt(std::move(socket));
    });
  }
  accept();
}

// Does not block: excess clients must not hold up the accepting loop.
void AsioHttpServer::reject(tcp::socket socket) {
  std::string bytes;
  internal::append_head(bytes, 503, {{"Retry-After", "1"}},
                        {.keep_alive = false}, 0);
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(bytes), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

void AsioHttpServer::stop(std::chrono::milliseconds grace) {
  const std::lock_guard stop_lock(stop_mutex_);
  if (is_stopped_) return;
  is_stopped_ = true;
  service_.is_stopping = true;
  if (!loops_.front()->thread.joinable()) return;  // Never ran.
  for (const auto& loop : loops_) {
    REQUIRE(
        loop->thread.get_id() != std::this_thread::get_id(),
        "HttpServer::stop: must not be called from a handler of this server.");
  }
  // Each loop owns its connections, so closing happens on the loops' threads.
  loops_.front()->call([this] {
    error_code ignored;
    acceptor_.close(ignored);
    accept_timer_.cancel();
  });
  for (const auto& loop : loops_) loop->call([&] { loop->close_idle(); });
  // Busy connections finish their reply and then leave.
  if (std::unique_lock lock(service_.mutex); grace.count() > 0) {
    service_.connection_left.wait_for(
        lock, grace, [&] { return service_.connection_count == 0; });
  }
  for (const auto& loop : loops_) loop->call([&] { loop->close_all(); });
  for (const auto& loop : loops_) loop->thread.join();
}

}  // namespace

bool HeaderNameLess::operator()(std::string_view a, std::string_view b) const {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](char x, char y) { return lower(x) < lower(y); });
}

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : found->second;
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options,
                                                      Handler handler,
                                                      Gate gate) {
  auto server = std::make_unique<AsioHttpServer>(
      std::move(options), std::move(handler), std::move(gate));
  RETURN_IF_ERROR(server->listen());
  server->run();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace lamarck::net
