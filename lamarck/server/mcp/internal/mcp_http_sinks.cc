#include "lamarck/server/mcp/internal/mcp_http_sinks.h"

#include <mutex>
#include <utility>

#include "lamarck/server/mcp/internal/mcp_sse.h"

namespace lamarck::mcp {
namespace {

// Replies with JSON, or switches to an event stream at the first message that
// precedes the reply.
class ModernSink final : public McpReplySink {
 public:
  ModernSink(std::shared_ptr<net::HttpExchange> exchange, StreamKeeper& keeper)
      : exchange_(std::move(exchange)), keeper_(keeper) {}

  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    if (!std::exchange(is_streaming_, true)) {
      exchange_->begin(200, sse_headers());
      keeper_.watch(exchange_);
    }
    exchange_->write(sse_event("", message));
  }

  void finish(std::string message, int status) override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    if (!is_streaming_) {
      return reply_json(*exchange_, status, std::move(message));
    }
    exchange_->write(sse_event("", message));
    exchange_->end();
  }

  void drop() override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    if (is_streaming_) {
      exchange_->end();
    } else {
      reply_empty(*exchange_, 202);
    }
  }

 private:
  const std::shared_ptr<net::HttpExchange> exchange_;
  StreamKeeper& keeper_;

  std::mutex mutex_;
  // Guarded by mutex_.
  bool is_streaming_ = false;
  bool is_over_ = false;
};

class LegacySink final : public McpReplySink {
 public:
  LegacySink(std::shared_ptr<net::HttpExchange> exchange,
             std::shared_ptr<McpHttpSession> session)
      : exchange_(std::move(exchange)), session_(std::move(session)) {}

  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    if (!is_over_) stream().send(message);
  }

  void finish(std::string message, int status) override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    if (stream_ == nullptr) {
      return reply_json(*exchange_, status, std::move(message));
    }
    stream_->send(message);
    stream_->end();
  }

  void drop() override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    if (stream_ != nullptr) {
      stream_->end();
    } else {
      reply_empty(*exchange_, 202);
    }
  }

  void pause() override {
    const std::lock_guard lock(mutex_);
    if (!is_over_ && session_->is_resumable()) stream().pause();
  }

 private:
  McpEventStream& stream() {
    if (stream_ == nullptr) {
      stream_ = session_->open_stream();
      stream_->attach(exchange_, 0, session_->is_resumable());
    }
    return *stream_;
  }

  const std::shared_ptr<net::HttpExchange> exchange_;
  const std::shared_ptr<McpHttpSession> session_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<McpEventStream> stream_;  // Null before the first message.
  bool is_over_ = false;
};

}  // namespace

void reply_json(net::HttpExchange& exchange, int status, std::string body) {
  net::HttpReply reply;
  reply.status = status;
  reply.headers.emplace("Content-Type", "application/json");
  reply.body = std::move(body);
  exchange.reply(std::move(reply));
}

void reply_empty(net::HttpExchange& exchange, int status) {
  net::HttpReply reply;
  reply.status = status;
  exchange.reply(std::move(reply));
}

std::shared_ptr<McpReplySink> make_modern_sink(
    std::shared_ptr<net::HttpExchange> exchange, StreamKeeper& keeper) {
  return std::make_shared<ModernSink>(std::move(exchange), keeper);
}

std::shared_ptr<McpReplySink> make_legacy_sink(
    std::shared_ptr<net::HttpExchange> exchange,
    std::shared_ptr<McpHttpSession> session) {
  return std::make_shared<LegacySink>(std::move(exchange), std::move(session));
}

}  // namespace lamarck::mcp
