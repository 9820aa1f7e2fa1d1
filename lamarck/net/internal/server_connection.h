// One connection of an HTTP server.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/net/internal/http_outbox.h"
#include "lamarck/net/internal/http_request_parser.h"
#include "lamarck/net/internal/server_loop.h"

namespace lamarck::net::internal {

// Reads requests, calls the handler and writes the replies, one request at a
// time. All members run on the thread of the loop.
class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(ServerLoop& loop, tcp::socket socket);

  void start();
  void check_deadline(std::chrono::nanoseconds now);
  void close_if_idle();
  void close();

 private:
  enum class Phase : std::uint8_t {
    Reading,    // Waiting for a request or the rest of one.
    Answering,  // The handler has the request, or its reply is being sent.
    Lingering,  // The reply is sent; further input is discarded.
    Closed,
  };

  void read();
  bool grow_buffer();
  void on_read(const error_code& error, std::size_t size);
  void serve();
  bool take_request();
  bool passes_gate();
  bool reserve_body();
  void release_body();
  void call_handler();
  void answer(AnswerShape shape, HttpReply reply);
  void refuse(int status);
  void refuse(int status, std::string_view why);
  void give_up_request();
  void give_up_reply();
  void note_memory();
  void on_wake();
  void flush();
  void write();
  void on_written(const error_code& error, std::size_t size);
  void free_output();
  void finish_answer();
  std::string_view unread() const {
    return {in_.data() + in_begin_, in_end_ - in_begin_};
  }

  ServerLoop& loop_;
  const HttpServerOptions& options_;
  tcp::socket socket_;
  const std::uint64_t number_;
  std::string remote_address_;
  HttpRequestParser parser_;
  std::shared_ptr<HttpOutbox> outbox_;
  Phase phase_ = Phase::Reading;
  // Start of the phase or request, or time of the last progress.
  std::chrono::nanoseconds since_{0};
  std::vector<char> in_;  // Input; [in_begin_, in_end_) is not parsed yet.
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  std::string out_;  // Being written, from out_begin_ on.
  std::size_t out_begin_ = 0;
  HttpOutbox::Taken taken_;  // Flags that came with `out_`.
  // Set by start().
  std::optional<MemoryBudget::Holder> unfinished_;
  std::optional<MemoryBudget::Holder> unsent_;
  std::size_t waiting_bytes_ = 0;  // Of the body that the handler has.
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool has_ended_ = false;  // The client will send no more.
};

}  // namespace lamarck::net::internal
