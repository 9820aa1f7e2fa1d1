// The outgoing bytes of one connection: any thread adds them, the connection's
// thread takes and sends them.

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

// Thread safety: all members may be called from any thread.
class HttpOutbox : public std::enable_shared_from_this<HttpOutbox> {
 public:
  // `wake` is called, under the lock, when there is something to take. It must
  // only post to the connection's thread. `close` drops it.
  HttpOutbox(std::size_t max_unsent_bytes, std::function<void()> wake);

  // Called by the connection.

  // Returns the exchange of the next request. `wake` is not called before the
  // next `take`, so an immediate reply needs no extra trip through the loop. An
  // exchange destroyed without a reply sends 500, or aborts a started stream.
  std::shared_ptr<HttpExchange> open(AnswerShape shape);
  struct Taken {
    bool is_ended = false;    // Nothing follows these bytes.
    bool is_aborted = false;  // Close the connection now.
    bool keep_alive = true;
  };
  // Moves the pending bytes into `bytes`, whose old content has been sent.
  Taken take(std::string& bytes);
  bool is_aborted();
  // Makes this request the last one of the connection.
  void forbid_keep_alive();
  // The client disconnected or the server stops. Calls the exchange's on_closed
  // callback on this thread.
  void close();

  // Called by an exchange. `number` identifies its request; a call for a
  // request that has ended does nothing.
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
  void wake_connection();
  // Also wakes a connection that is already awake and still writing.
  void break_off();

  const std::size_t max_unsent_bytes_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::function<void()> wake_;
  std::function<void()> closed_;
  std::uint64_t number_ = 0;  // Number of the current request.
  Phase phase_ = Phase::Ended;
  AnswerShape shape_;
  std::string waiting_;
  std::size_t taken_bytes_ = 0;  // Taken, perhaps not sent yet.
  bool is_awake_ = false;        // The connection will call `take`.
  bool is_aborted_ = false;
  bool is_answered_ = false;  // The handler has replied to the current request.
  bool streams_body_ = false;
};

}  // namespace lamarck::net::internal
