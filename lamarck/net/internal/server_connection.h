// One connection of an HTTP server.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/net/internal/http_outbox.h"
#include "lamarck/net/internal/http_request_parser.h"
#include "lamarck/net/internal/server_loop.h"

namespace lamarck::net::internal {

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(ServerLoop& loop, tcp::socket socket);

  void start();
  void check_deadline(std::chrono::nanoseconds now);
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

  ServerLoop& loop_;
  const HttpServerOptions& options_;
  tcp::socket socket_;
  std::string remote_address_;
  HttpRequestParser parser_;
  std::shared_ptr<HttpOutbox> outbox_;
  Phase phase_ = Phase::Reading;
  std::chrono::nanoseconds since_{
      0};  // Of the phase, the request, or the last progress.
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

}  // namespace lamarck::net::internal
