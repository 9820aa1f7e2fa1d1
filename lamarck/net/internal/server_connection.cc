#include "lamarck/net/internal/server_connection.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>

#include "lamarck/base/clock.h"
#include "lamarck/net/internal/free_memory.h"

namespace lamarck::net::internal {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t kSmallBuffer = 4 * 1024;
constexpr std::size_t kBodyBuffer = 64 * 1024;
constexpr std::size_t kMaxIdleOutput = 16 * 1024;  // Kept after it was sent.
constexpr std::chrono::seconds kLinger{2};

nanoseconds elapsed() { return SystemClock().elapsed(); }

// Why the server itself rejects a request with this status.
std::string refusal_text(int status, const HttpServerOptions& options) {
  switch (status) {
    case 408:
      return fmt::format("A request must be complete within {} s.",
                         options.idle_timeout.count());
    case 413:
      return fmt::format("The body of a request must have at most {} bytes.",
                         options.max_body_bytes);
    case 431:
      return fmt::format(
          "The headers of a request must have at most {} bytes and {} lines.",
          options.max_header_bytes, options.max_header_lines);
    case 501:
      return "The only transfer encoding that is supported is chunked.";
    case 503:
      return fmt::format(
          "Unfinished requests of all clients hold more than {} bytes, and "
          "this one was among the largest and oldest; send it again.",
          options.max_total_unfinished_bytes);
    default:
      return "The request is malformed.";
  }
}

}  // namespace

ServerConnection::ServerConnection(ServerLoop& loop, tcp::socket socket)
    : loop_(loop),
      options_(loop.service.options),
      socket_(std::move(socket)),
      number_(++loop.service.connections_accepted),
      parser_({.header_bytes = options_.max_header_bytes,
               .header_lines = options_.max_header_lines,
               .body_bytes = options_.max_body_bytes}) {}

void ServerConnection::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  const auto remote = socket_.remote_endpoint(ignored);
  remote_address_ = remote.address().to_string(ignored);
  // Calls a member later, on the thread of the loop.
  const auto caller = [&](void (ServerConnection::*member)()) {
    return [weak = weak_from_this(), &io = loop_.io, member] {
      asio::post(io, [weak, member] {
        if (const auto self = weak.lock()) (self.get()->*member)();
      });
    };
  };
  outbox_ = std::make_shared<HttpOutbox>(options_.max_unsent_bytes,
                                         caller(&ServerConnection::on_wake));
  unfinished_.emplace(loop_.service.unfinished,
                      caller(&ServerConnection::give_up_request));
  unsent_.emplace(loop_.service.unsent,
                  caller(&ServerConnection::give_up_reply));
  since_ = elapsed();
  read();
}

// Also reads while a reply is pending, to detect a client that disconnects and
// to have its next request ready.
void ServerConnection::read() {
  if (is_reading_ || has_ended_ || phase_ == Phase::Closed) return;
  if (phase_ == Phase::Lingering) in_begin_ = in_end_ = 0;
  if (!grow_buffer()) return;
  is_reading_ = true;
  socket_.async_read_some(
      asio::buffer(in_.data() + in_end_, in_.size() - in_end_),
      [self = shared_from_this()](const error_code& error, std::size_t size) {
        self->on_read(error, size);
      });
}

// Makes space for input: moves the unparsed bytes to the front, then grows the
// buffer. Returns false at the maximum size. Only a request that is being read
// needs a large buffer; others may wait for hours.
bool ServerConnection::grow_buffer() {
  const bool is_large =
      phase_ == Phase::Reading && (parser_.has_begun() || in_begin_ < in_end_);
  const std::size_t max_size =
      kSmallBuffer + (is_large ? options_.max_header_bytes : 0);
  if (in_begin_ == in_end_) {
    in_begin_ = in_end_ = 0;
    if (!is_large && in_.size() > kSmallBuffer) free_memory(in_);
  }
  if (in_end_ < in_.size()) return true;
  if (in_begin_ > 0) {
    std::copy(in_.begin() + static_cast<std::ptrdiff_t>(in_begin_), in_.end(),
              in_.begin());
    in_end_ -= in_begin_;
    in_begin_ = 0;
    return true;
  }
  if (in_.size() >= max_size) return false;
  in_.resize(std::min(max_size, std::max(kSmallBuffer, in_.size() * 2)));
  return true;
}

void ServerConnection::on_read(const error_code& error, std::size_t size) {
  is_reading_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) {
    has_ended_ = true;
    // A client that has only shut down its sending side still gets a complete
    // reply.
    const bool is_delivering = phase_ == Phase::Answering && is_writing_ &&
                               taken_.is_ended && error == asio::error::eof;
    return is_delivering ? void() : close();
  }
  in_end_ += size;
  // The buffer is full: read the rest of a large body in larger pieces.
  if (in_end_ == in_.size() && in_.size() < kBodyBuffer &&
      parser_.state() == HttpRequestParser::State::Body) {
    in_.resize(kBodyBuffer);
  }
  serve();
}

void ServerConnection::serve() {
  while (phase_ == Phase::Reading && take_request()) flush();
  read();
  note_memory();
}

// Tells the budgets what this connection holds. A small buffer is free.
void ServerConnection::note_memory() {
  if (phase_ == Phase::Closed) return;
  const std::size_t buffer = std::max(in_.size(), kSmallBuffer) - kSmallBuffer;
  const std::size_t request = phase_ == Phase::Reading && parser_.has_begun()
                                  ? parser_.held_bytes()
                                  : 0;
  const nanoseconds now = elapsed();
  unfinished_->hold(buffer + request, now);
  unsent_->hold(is_writing_ ? out_.size() - out_begin_ : 0, now);
}

// Returns whether a request is now being answered.
bool ServerConnection::take_request() {
  while (true) {
    // The time of a request starts with its first byte. Empty lines before it
    // do not count, so they cannot keep a connection open.
    const bool had_begun = parser_.has_begun();
    in_begin_ += parser_.feed(unread());
    if (!had_begun && parser_.has_begun()) since_ = elapsed();
    switch (parser_.state()) {
      case HttpRequestParser::State::Headed:
        if (!passes_gate()) return true;
        break;
      case HttpRequestParser::State::Done:
        call_handler();
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

bool ServerConnection::passes_gate() {
  HttpRequest& request = parser_.request();
  request.remote_address = remote_address_;
  request.connection = number_;
  if (loop_.service.gate) {
    std::optional<HttpReply> refusal;
    try {
      refusal = loop_.service.gate(request);
    } catch (const std::exception&) {
      refusal = HttpReply{.status = 500, .headers = {}, .body = ""};
    }
    if (refusal) {
      AnswerShape shape = parser_.shape();
      // An unread body would be taken for the next request.
      shape.keep_alive = shape.keep_alive && !parser_.has_body();
      answer(shape, std::move(*refusal));
      return false;
    }
  }
  if (parser_.expects_continue() && unread().empty()) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    // The send buffer is empty, so it fits unless the connection failed.
    error_code ignored;
    socket_.write_some(asio::buffer(kContinue.data(), kContinue.size()),
                       ignored);
  }
  return true;
}

// Counts the body of the complete request. Returns false if the handlers hold
// too many already.
bool ServerConnection::reserve_body() {
  const std::size_t size = parser_.request().body.size();
  if (size == 0) return true;
  std::atomic<std::size_t>& all = loop_.service.waiting_bytes;
  if (all.fetch_add(size) + size > options_.max_total_waiting_bytes) {
    all -= size;
    return false;
  }
  waiting_bytes_ = size;
  return true;
}

void ServerConnection::release_body() {
  loop_.service.waiting_bytes -= std::exchange(waiting_bytes_, 0);
}

void ServerConnection::call_handler() {
  if (!reserve_body()) {
    return refuse(503,
                  "Too many large requests wait for their replies; send this "
                  "one again later.");
  }
  phase_ = Phase::Answering;
  AnswerShape shape = parser_.shape();
  if (loop_.service.is_stopping) shape.keep_alive = false;
  auto exchange = outbox_->open(shape);
  try {
    // An exchange that is destroyed without a reply sends 500.
    loop_.service.handler(std::move(parser_.request()), std::move(exchange));
  } catch (const std::exception&) {
    return;
  }
}

void ServerConnection::answer(AnswerShape shape, HttpReply reply) {
  phase_ = Phase::Answering;
  outbox_->open(shape)->reply(std::move(reply));
}

void ServerConnection::refuse(int status) {
  refuse(status, refusal_text(status, options_));
}

void ServerConnection::refuse(int status, std::string_view why) {
  AnswerShape shape = parser_.shape();
  shape.keep_alive = false;
  parser_.reset();  // Frees the memory of the request.
  HttpHeaders headers = {{"Content-Type", "text/plain"}};
  if (status == 503) headers.emplace("Retry-After", "1");
  answer(shape, {.status = status,
                 .headers = std::move(headers),
                 .body = fmt::format("{} {}\n{}\n", status,
                                     internal::reason_phrase(status), why)});
}

// The requests of all connections hold too much memory.
void ServerConnection::give_up_request() {
  // The request may have become complete in the meantime.
  if (phase_ != Phase::Reading || !unfinished_->is_asked()) return;
  refuse(503);
  flush();
  note_memory();
}

void ServerConnection::give_up_reply() {
  if (phase_ != Phase::Closed && unsent_->is_asked()) close();
}

void ServerConnection::on_wake() {
  if (phase_ != Phase::Answering) return;
  if (is_writing_) {
    if (outbox_->is_aborted()) close();
    return;
  }
  flush();
  if (phase_ == Phase::Reading) serve();
}

// Writes directly first, which usually suffices; only the rest waits for the
// socket.
void ServerConnection::flush() {
  taken_ = outbox_->take(out_);
  out_begin_ = 0;
  error_code error;
  if (!out_.empty()) {
    out_begin_ = socket_.write_some(asio::buffer(out_), error);
  }
  if (taken_.is_aborted || (error && error != asio::error::would_block)) {
    return close();
  }
  if (out_begin_ < out_.size()) {
    write();
    return note_memory();
  }
  free_output();
  if (taken_.is_ended) finish_answer();
}

// A large reply must not stay in memory while the connection is idle.
void ServerConnection::free_output() {
  if (out_.capacity() > kMaxIdleOutput) free_memory(out_);
}

void ServerConnection::write() {
  is_writing_ = true;
  since_ = elapsed();
  socket_.async_write_some(
      asio::buffer(out_.data() + out_begin_, out_.size() - out_begin_),
      [self = shared_from_this()](const error_code& error, std::size_t size) {
        self->on_written(error, size);
      });
}

void ServerConnection::on_written(const error_code& error, std::size_t size) {
  is_writing_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) return close();
  out_begin_ += size;
  if (out_begin_ < out_.size()) {
    write();
    return note_memory();
  }
  free_output();
  if (taken_.is_ended) {
    finish_answer();
  } else {
    flush();
  }
  if (phase_ == Phase::Reading) serve();
  note_memory();
}

void ServerConnection::finish_answer() {
  release_body();
  if (has_ended_) return close();
  since_ = elapsed();
  if (taken_.keep_alive && !loop_.service.is_stopping) {
    parser_.reset();
    phase_ = Phase::Reading;
    return;
  }
  // Closing with unread input sends a reset, which may discard the reply on the
  // client's side. So stop sending and drain the input first.
  phase_ = Phase::Lingering;
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  read();
}

// A handler may take any time to reply, so only reading, writing and lingering
// have a deadline.
void ServerConnection::check_deadline(nanoseconds now) {
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

void ServerConnection::close_if_idle() {
  if (phase_ == Phase::Answering) {
    outbox_->forbid_keep_alive();
  } else {
    close();
  }
}

void ServerConnection::close() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  const auto self = shared_from_this();
  error_code ignored;
  socket_.close(ignored);
  release_body();
  unfinished_.reset();
  unsent_.reset();
  loop_.remove(self);
  try {
    outbox_->close();
  } catch (const std::exception&) {
    return;  // Ignore exceptions of the callback.
  }
}

}  // namespace lamarck::net::internal
