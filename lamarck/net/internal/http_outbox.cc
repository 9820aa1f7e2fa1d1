#include "lamarck/net/internal/http_outbox.h"

#include <utility>

#include "lamarck/net/internal/free_memory.h"

namespace lamarck::net::internal {
namespace {

class OutboxExchange final : public HttpExchange {
 public:
  OutboxExchange(std::shared_ptr<HttpOutbox> outbox, std::uint64_t number)
      : outbox_(std::move(outbox)), number_(number) {}
  OutboxExchange(const OutboxExchange&) = delete;
  OutboxExchange& operator=(const OutboxExchange&) = delete;
  ~OutboxExchange() override { outbox_->give_up(number_); }

  void reply(HttpReply reply) override { outbox_->reply(number_, reply); }
  void begin(int status, HttpHeaders headers) override {
    outbox_->begin(number_, status, headers);
  }
  void write(std::string piece) override { outbox_->write(number_, piece); }
  void end() override { outbox_->end(number_); }
  void abort() override { outbox_->abort(number_); }
  void on_closed(std::function<void()> closed) override {
    outbox_->on_closed(number_, std::move(closed));
  }

 private:
  std::shared_ptr<HttpOutbox> outbox_;
  std::uint64_t number_;
};

// Whether the handler asked to close the connection after this reply.
bool asks_to_close(const HttpHeaders& headers) {
  const auto connection = headers.find("Connection");
  return connection != headers.end() && connection->second == "close";
}

}  // namespace

HttpOutbox::HttpOutbox(std::size_t max_unsent_bytes, std::function<void()> wake)
    : max_unsent_bytes_(max_unsent_bytes), wake_(std::move(wake)) {}

std::shared_ptr<HttpExchange> HttpOutbox::open(AnswerShape shape) {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::Closed) phase_ = Phase::Waiting;
  shape_ = shape;
  is_awake_ = true;
  is_answered_ = false;
  return std::make_shared<OutboxExchange>(shared_from_this(), ++number_);
}

HttpOutbox::Taken HttpOutbox::take(std::string& bytes) {
  bytes.clear();
  const std::lock_guard lock(mutex_);
  bytes.swap(waiting_);
  taken_bytes_ = bytes.size();
  is_awake_ = false;
  return {.is_ended = phase_ == Phase::Ended,
          .is_aborted = is_aborted_,
          .keep_alive = shape_.keep_alive};
}

bool HttpOutbox::is_aborted() {
  const std::lock_guard lock(mutex_);
  return is_aborted_;
}

void HttpOutbox::forbid_keep_alive() {
  const std::lock_guard lock(mutex_);
  shape_.keep_alive = false;
}

void HttpOutbox::close() {
  // Both are destroyed after the lock is released: their destructors may run
  // arbitrary code.
  std::function<void()> closed;
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::Waiting || phase_ == Phase::Streaming) {
      closed = std::move(closed_);
    }
    closed_ = nullptr;
    wake.swap(wake_);
    phase_ = Phase::Closed;
    free_memory(waiting_);
  }
  if (closed) closed();
}

bool HttpOutbox::is_current(std::uint64_t number, Phase phase) const {
  return number == number_ && phase_ == phase;
}

void HttpOutbox::wake_connection() {
  if (is_awake_ || !wake_) return;
  is_awake_ = true;
  wake_();
}

void HttpOutbox::break_off() {
  is_aborted_ = true;
  is_awake_ = true;
  if (wake_) wake_();
}

void HttpOutbox::finish() {
  is_answered_ = true;
  phase_ = Phase::Ended;
  wake_connection();
}

void HttpOutbox::append_reply(const HttpReply& reply) {
  if (asks_to_close(reply.headers)) shape_.keep_alive = false;
  append_head(waiting_, reply.status, reply.headers, shape_, reply.body.size());
  if (!shape_.is_head && may_have_body(reply.status)) waiting_ += reply.body;
}

void HttpOutbox::reply(std::uint64_t number, const HttpReply& reply) {
  std::function<void()> closed;  // Destroyed after the lock is released.
  const std::lock_guard lock(mutex_);
  if (!is_current(number, Phase::Waiting)) return;
  closed.swap(closed_);
  append_reply(reply);
  finish();
}

void HttpOutbox::begin(std::uint64_t number, int status,
                       const HttpHeaders& headers) {
  const std::lock_guard lock(mutex_);
  if (!is_current(number, Phase::Waiting)) return;
  // HTTP/1.0 has no chunks: the end of the connection ends the body.
  if (!shape_.is_http11 || asks_to_close(headers)) shape_.keep_alive = false;
  append_head(waiting_, status, headers, shape_, std::nullopt);
  streams_body_ = !shape_.is_head && may_have_body(status);
  phase_ = Phase::Streaming;
  wake_connection();
}

void HttpOutbox::write(std::uint64_t number, std::string_view piece) {
  const std::lock_guard lock(mutex_);
  if (!is_current(number, Phase::Streaming) || !streams_body_) return;
  if (is_aborted_) return;
  // A client that does not read must not fill the memory.
  if (waiting_.size() + taken_bytes_ > max_unsent_bytes_) return break_off();
  if (shape_.is_http11) {
    append_chunk(waiting_, piece);
  } else {
    waiting_ += piece;
  }
  wake_connection();
}

void HttpOutbox::end(std::uint64_t number) {
  std::function<void()> closed;  // Destroyed after the lock is released.
  const std::lock_guard lock(mutex_);
  if (!is_current(number, Phase::Streaming)) return;
  closed.swap(closed_);
  if (shape_.is_http11 && streams_body_) waiting_ += kLastChunk;
  finish();
}

void HttpOutbox::abort(std::uint64_t number) {
  std::function<void()> closed;  // Destroyed after the lock is released.
  const std::lock_guard lock(mutex_);
  if (!is_current(number, Phase::Waiting) &&
      !is_current(number, Phase::Streaming)) {
    return;
  }
  closed.swap(closed_);
  is_answered_ = true;
  phase_ = Phase::Ended;
  break_off();
}

// The exchange was destroyed. A started stream cannot become an error reply, so
// it is aborted.
void HttpOutbox::give_up(std::uint64_t number) {
  bool has_begun = false;
  {
    const std::lock_guard lock(mutex_);
    has_begun = is_current(number, Phase::Streaming);
  }
  if (has_begun) return abort(number);
  reply(number, {.status = 500, .headers = {}, .body = ""});
}

// Calls `closed` without the lock, because it may use the exchange.
void HttpOutbox::on_closed(std::uint64_t number, std::function<void()> closed) {
  {
    const std::lock_guard lock(mutex_);
    if (number != number_ || is_answered_) return;
    if (phase_ != Phase::Closed) {
      closed_.swap(closed);
      return;
    }
  }
  closed();
}

}  // namespace lamarck::net::internal
