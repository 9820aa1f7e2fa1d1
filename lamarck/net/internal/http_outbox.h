// The answers of one connection on their way out: any thread puts them in, the
// connection's thread takes them.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lamarck/net/http_server.h"
#include "lamarck/net/internal/http_wire.h"

namespace lamarck::net::internal {

// Thread safety: any member from any thread.
class HttpOutbox : public std::enable_shared_from_this<HttpOutbox> {
 public:
  // `wake` is called when there is something to take; it must only post, and is
  // dropped by `close`.
  HttpOutbox(std::size_t max_unsent_bytes, std::function<void()> wake);

  // For the connection.

  // The exchange of the next request. Until the first `take` after it nobody is
  // woken, so an answer given at once is taken without a detour. An exchange
  // that is given up unanswered answers 500, or breaks off.
  std::shared_ptr<HttpExchange> open(AnswerShape shape);
  struct Taken {
    bool is_ended = false;    // Nothing follows these bytes.
    bool is_aborted = false;  // Break off now.
    bool keep_alive = true;
  };
  // Puts what is there into `bytes`, which was sent completely.
  Taken take(std::string& bytes);
  bool is_aborted();
  // No more than this request on this connection.
  void forbid_keep_alive();
  // The client went away, or the server ends. The exchange under way hears it,
  // on this thread.
  void close();

  // For an exchange; `number` is that of its request, and a call for a request
  // that has ended does nothing.
  void reply(std::uint64_t number, const HttpReply& reply);
  void begin(std::uint64_t number, int status, const HttpHeaders& headers);
  void write(std::uint64_t number, std::string_view piece);
  void end(std::uint64_t number);
  void abort(std::uint64_t number);
  void give_up(std::uint64_t number);
  void on_closed(std::uint64_t number, std::function<void()> closed);

 private:
  enum class Phase : std::uint8_t { Waiting, Streaming, Ended, Closed };

  bool is_current(std::uint64_t number, Phase phase) const;
  void append_reply(const HttpReply& reply);
  void finish();
  void call_connection();
  // Calls also a connection that was called and is still writing.
  void break_off();

  const std::size_t max_unsent_bytes_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::function<void()> wake_;
  std::function<void()> closed_;
  std::uint64_t number_ = 0;  // Of the request under way.
  Phase phase_ = Phase::Ended;
  AnswerShape shape_;
  std::string waiting_;
  std::size_t taken_bytes_ = 0;  // With the connection, not yet sent.
  bool is_called_ = false;       // The connection will take.
  bool is_aborted_ = false;
  bool is_answered_ = false;  // The request under way, by its handler.
  bool streams_body_ = false;
};

}  // namespace lamarck::net::internal
