#include "lamarck/net/http_server.h"

// Only one thread runs a loop, so its handlers need no fences, of which
// ThreadSanitizer knows nothing.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "lamarck/base/clock.h"
#include "lamarck/base/ensure.h"
#include "lamarck/net/internal/http_outbox.h"
#include "lamarck/net/internal/http_request_parser.h"

namespace lamarck::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using internal::AnswerShape;
using internal::HttpOutbox;
using internal::HttpRequestParser;
using std::chrono::nanoseconds;

constexpr std::size_t kSmallBuffer = 4 * 1024;
constexpr std::size_t kKeptBuffer = 16 * 1024;  // Between two requests.
constexpr std::size_t kBodyBuffer = 64 * 1024;
constexpr std::chrono::seconds kLinger{2};
constexpr std::chrono::milliseconds kSweepEvery{250};
constexpr std::chrono::milliseconds kAcceptAgain{50};

nanoseconds elapsed() { return SystemClock().elapsed(); }

// What all threads of a server share.
struct Service {
  HttpServerOptions options;
  HttpServer::Handler handler;
  HttpServer::Gate gate;
  std::atomic<std::size_t> connection_count{0};
  std::atomic<bool> is_stopping{false};
  std::mutex mutex;
  std::condition_variable connection_left;  // Told while stopping.
};

class Connection;

// One thread and its connections; only this thread touches them.
struct Loop {
  explicit Loop(Service& its_service)
      : service(its_service), work(io.get_executor()), sweep_timer(io) {}

  void run();
  void sweep();
  void adopt(tcp::socket socket);
  void remove(const std::shared_ptr<Connection>& connection);
  void close_idle();
  void close_all();
  void call(const std::function<void()>& function);  // There, and waits for it.

  Service& service;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::steady_timer sweep_timer;
  std::unordered_set<std::shared_ptr<Connection>> connections;
  std::atomic<std::size_t> load{0};  // Connections, for who hands them out.
  std::thread thread;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, tcp::socket socket);

  void start();
  void check_deadline(nanoseconds now);
  void close_if_idle();
  void close();

 private:
  enum class Phase : std::uint8_t {
    Reading,    // Waits for a request, or for the rest of one.
    Answering,  // The request is with the handler, or its answer under way.
    Lingering,  // Everything is said; what still comes is thrown away.
    Closed,
  };

  void read();
  bool make_room();
  void on_read(const error_code& error, std::size_t size);
  void serve();
  bool take_request();
  bool passes_gate();
  void hand_over();
  void answer(AnswerShape shape, HttpReply reply);
  void refuse(int status);
  void on_wake();
  void flush();
  void write();
  void on_written(const error_code& error, std::size_t size);
  void finish_answer();
  std::string_view unread() const {
    return {in_.data() + in_begin_, in_end_ - in_begin_};
  }

  Loop& loop_;
  const HttpServerOptions& options_;
  tcp::socket socket_;
  std::string remote_address_;
  HttpRequestParser parser_;
  std::shared_ptr<HttpOutbox> outbox_;
  Phase phase_ = Phase::Reading;
  nanoseconds since_{0};  // Of the phase, the request, or the last progress.
  std::vector<char> in_;
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  std::string out_;  // Being written, from out_begin_ on.
  std::size_t out_begin_ = 0;
  HttpOutbox::Taken taken_;  // What `out_` is.
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool has_ended_ = false;  // The client sends nothing more.
};

Connection::Connection(Loop& loop, tcp::socket socket)
    : loop_(loop),
      options_(loop.service.options),
      socket_(std::move(socket)),
      parser_({.header_bytes = options_.max_header_bytes,
               .body_bytes = options_.max_body_bytes}) {}

void Connection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  const auto remote = socket_.remote_endpoint(ignored);
  remote_address_ = remote.address().to_string(ignored);
  outbox_ = std::make_shared<HttpOutbox>(
      options_.max_unsent_bytes, [weak = weak_from_this(), &io = loop_.io] {
        asio::post(io, [weak] {
          if (const auto self = weak.lock()) self->on_wake();
        });
      });
  since_ = elapsed();
  read();
}

// Bytes are read also while an answer is under way: so a client that goes away
// is noticed, and its next request is there.
void Connection::read() {
  if (is_reading_ || has_ended_ || phase_ == Phase::Closed) return;
  if (phase_ == Phase::Lingering) in_begin_ = in_end_ = 0;
  if (!make_room()) return;
  is_reading_ = true;
  socket_.async_read_some(
      asio::buffer(in_.data() + in_end_, in_.size() - in_end_),
      [self = shared_from_this()](const error_code& error, std::size_t size) {
        self->on_read(error, size);
      });
}

bool Connection::make_room() {
  const std::size_t most = options_.max_header_bytes + kSmallBuffer;
  if (in_begin_ == in_end_) {
    in_begin_ = in_end_ = 0;
    if (!parser_.has_begun() && in_.size() > kKeptBuffer) in_ = {};
  }
  if (in_end_ < in_.size()) return true;
  if (in_begin_ > 0) {
    std::copy(in_.begin() + static_cast<std::ptrdiff_t>(in_begin_), in_.end(),
              in_.begin());
    in_end_ -= in_begin_;
    in_begin_ = 0;
    return true;
  }
  if (in_.size() >= most) return false;
  in_.resize(std::min(most, std::max(kSmallBuffer, in_.size() * 2)));
  return true;
}

void Connection::on_read(const error_code& error, std::size_t size) {
  is_reading_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) {
    has_ended_ = true;
    // An answer that is complete is still delivered to who only stopped
    // sending.
    const bool is_delivering = phase_ == Phase::Answering && is_writing_ &&
                               taken_.is_ended && error == asio::error::eof;
    return is_delivering ? void() : close();
  }
  if (phase_ == Phase::Reading && !parser_.has_begun()) since_ = elapsed();
  in_end_ += size;
  // More than fits comes in: the rest of a body, read in larger pieces.
  if (in_end_ == in_.size() && in_.size() < kBodyBuffer &&
      parser_.state() == HttpRequestParser::State::Body) {
    in_.resize(kBodyBuffer);
  }
  serve();
}

void Connection::serve() {
  while (phase_ == Phase::Reading && take_request()) flush();
  read();
}

// Whether a request is now being answered.
bool Connection::take_request() {
  while (true) {
    in_begin_ += parser_.feed(unread());
    switch (parser_.state()) {
      case HttpRequestParser::State::Headed:
        if (!passes_gate()) return true;
        break;
      case HttpRequestParser::State::Done:
        hand_over();
        return true;
      case HttpRequestParser::State::Bad:
        refuse(parser_.bad_status());
        return true;
      case HttpRequestParser::State::Head:
      case HttpRequestParser::State::Body:
        return false;
    }
  }
}

bool Connection::passes_gate() {
  HttpRequest& request = parser_.request();
  request.remote_address = remote_address_;
  if (loop_.service.gate) {
    std::optional<HttpReply> refusal;
    try {
      refusal = loop_.service.gate(request);
    } catch (const std::exception&) {
      refusal = HttpReply{.status = 500, .headers = {}, .body = ""};
    }
    if (refusal) {
      AnswerShape shape = parser_.shape();
      shape.keep_alive = shape.keep_alive && !parser_.has_body();
      answer(shape, std::move(*refusal));
      return false;
    }
  }
  if (parser_.expects_continue() && unread().empty()) {
    constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    error_code ignored;  // Nothing waits before it: it fits, or all is lost.
    socket_.write_some(asio::buffer(kGoOn.data(), kGoOn.size()), ignored);
  }
  return true;
}

void Connection::hand_over() {
  phase_ = Phase::Answering;
  AnswerShape shape = parser_.shape();
  if (loop_.service.is_stopping) shape.keep_alive = false;
  auto exchange = outbox_->open(shape);
  try {
    // An exchange that is dropped unanswered answers 500 by itself.
    loop_.service.handler(std::move(parser_.request()), std::move(exchange));
  } catch (const std::exception&) {
    return;
  }
}

void Connection::answer(AnswerShape shape, HttpReply reply) {
  phase_ = Phase::Answering;
  outbox_->open(shape)->reply(std::move(reply));
}

void Connection::refuse(int status) {
  AnswerShape shape = parser_.shape();
  shape.keep_alive = false;
  answer(shape, {.status = status,
                 .headers = {{"Content-Type", "text/plain"}},
                 .body = fmt::format("{} {}\n", status,
                                     internal::reason_phrase(status))});
}

void Connection::on_wake() {
  if (phase_ != Phase::Answering) return;
  if (is_writing_) {
    if (outbox_->is_aborted()) close();
    return;
  }
  flush();
  if (phase_ == Phase::Reading) serve();
}

void Connection::flush() {
  taken_ = outbox_->take(out_);
  out_begin_ = 0;
  error_code error;
  if (!out_.empty()) {
    out_begin_ = socket_.write_some(asio::buffer(out_), error);
  }
  if (taken_.is_aborted || (error && error != asio::error::would_block)) {
    return close();
  }
  if (out_begin_ < out_.size()) return write();
  if (taken_.is_ended) finish_answer();
}

void Connection::write() {
  is_writing_ = true;
  since_ = elapsed();
  socket_.async_write_some(
      asio::buffer(out_.data() + out_begin_, out_.size() - out_begin_),
      [self = shared_from_this()](const error_code& error, std::size_t size) {
        self->on_written(error, size);
      });
}

void Connection::on_written(const error_code& error, std::size_t size) {
  is_writing_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) return close();
  out_begin_ += size;
  if (out_begin_ < out_.size()) return write();
  if (taken_.is_ended) {
    finish_answer();
  } else {
    flush();
  }
  if (phase_ == Phase::Reading) serve();
}

void Connection::finish_answer() {
  if (has_ended_) return close();
  since_ = elapsed();
  if (taken_.keep_alive && !loop_.service.is_stopping) {
    parser_.reset();
    phase_ = Phase::Reading;
    return;
  }
  // Closing with bytes unread would take the answer back from the client.
  phase_ = Phase::Lingering;
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  read();
}

void Connection::check_deadline(nanoseconds now) {
  const nanoseconds quiet = now - since_;
  if (phase_ == Phase::Lingering) {
    if (quiet > kLinger) close();
  } else if (quiet > options_.idle_timeout) {
    if (phase_ == Phase::Answering && is_writing_) close();
    if (phase_ != Phase::Reading) return;
    if (!parser_.has_begun()) return close();
    refuse(408);
    flush();
  }
}

void Connection::close_if_idle() {
  if (phase_ == Phase::Answering) {
    outbox_->forbid_keep_alive();
  } else {
    close();
  }
}

void Connection::close() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  const auto self = shared_from_this();
  error_code ignored;
  socket_.close(ignored);
  loop_.remove(self);
  try {
    outbox_->close();
  } catch (const std::exception&) {
    return;  // The mistake of who wanted to hear of it.
  }
}

void Loop::run() {
  sweep();
  while (true) {
    try {
      io.run();
      return;
    } catch (const std::exception&) {
      continue;  // A handler's mistake must not end the others' service.
    }
  }
}

void Loop::sweep() {
  const nanoseconds now = elapsed();
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(),
                                                     connections.end());
  for (const auto& connection : all) connection->check_deadline(now);
  sweep_timer.expires_after(kSweepEvery);
  sweep_timer.async_wait([this](const error_code& error) {
    if (!error) sweep();
  });
}

void Loop::adopt(tcp::socket socket) {
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections.insert(connection);
  if (service.is_stopping) {
    remove(connection);
  } else {
    connection->start();
  }
}

void Loop::remove(const std::shared_ptr<Connection>& connection) {
  connections.erase(connection);
  --load;
  --service.connection_count;
  if (!service.is_stopping) return;
  const std::lock_guard lock(service.mutex);
  service.connection_left.notify_all();
}

void Loop::close_idle() {
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(),
                                                     connections.end());
  for (const auto& connection : all) connection->close_if_idle();
}

void Loop::close_all() {
  const std::vector<std::shared_ptr<Connection>> all(connections.begin(),
                                                     connections.end());
  for (const auto& connection : all) connection->close();
  sweep_timer.cancel();
  work.reset();
}

void Loop::call(const std::function<void()>& function) {
  std::promise<void> done;
  asio::post(io, [&] {
    function();
    done.set_value();
  });
  done.get_future().wait();
}

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
  void on_accepted(const error_code& error, tcp::socket socket, Loop& loop);
  void turn_away(tcp::socket socket);

  Service service_;
  std::vector<std::unique_ptr<Loop>> loops_;
  tcp::acceptor acceptor_;  // Used on the thread of the first loop.
  asio::steady_timer accept_timer_;
  std::uint16_t port_ = 0;
  std::mutex stop_mutex_;
  bool is_stopped_ = false;  // Guarded by stop_mutex_.
};

std::vector<std::unique_ptr<Loop>> make_loops(Service& service) {
  std::vector<std::unique_ptr<Loop>> loops;
  const std::size_t count = std::max<std::size_t>(1, service.options.threads);
  for (std::size_t i = 0; i < count; ++i) {
    loops.push_back(std::make_unique<Loop>(service));
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
                 fmt::format("Cannot listen on '{}' (port {}): that is no "
                             "address; write one such as 127.0.0.1 or ::1.",
                             options.address, options.port));
  }
  const tcp::endpoint endpoint(address, options.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return Error(ErrorCode::Unavailable,
                 fmt::format("Cannot listen on {} port {}: {}; choose another "
                             "port, or 0 for any free one.",
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
  Loop& loop = **std::min_element(
      loops_.begin(), loops_.end(),
      [](const auto& a, const auto& b) { return a->load < b->load; });
  acceptor_.async_accept(
      loop.io, [this, &loop](const error_code& error, tcp::socket socket) {
        on_accepted(error, std::move(socket), loop);
      });
}

void AsioHttpServer::on_accepted(const error_code& error, tcp::socket socket,
                                 Loop& loop) {
  if (service_.is_stopping) return;
  if (error) {  // Such as too many open files: it passes.
    accept_timer_.expires_after(kAcceptAgain);
    accept_timer_.async_wait([this](const error_code& cancelled) {
      if (!cancelled) accept();
    });
    return;
  }
  if (service_.connection_count >= service_.options.max_connections) {
    turn_away(std::move(socket));
  } else {
    ++service_.connection_count;
    ++loop.load;
    asio::post(loop.io, [&loop, socket = std::move(socket)]() mutable {
      loop.adopt(std::move(socket));
    });
  }
  accept();
}

void AsioHttpServer::turn_away(tcp::socket socket) {
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
    REQUIRE(loop->thread.get_id() != std::this_thread::get_id(),
            "a handler cannot stop the server that runs it");
  }
  loops_.front()->call([this] {
    error_code ignored;
    acceptor_.close(ignored);
    accept_timer_.cancel();
  });
  for (const auto& loop : loops_) loop->call([&] { loop->close_idle(); });
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
