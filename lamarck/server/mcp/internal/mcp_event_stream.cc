#include "lamarck/server/mcp/internal/mcp_event_stream.h"

#include <charconv>
#include <utility>

namespace lamarck::mcp {
namespace {

bool read_number(std::string_view text, std::uint64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

std::string EventId::to_string() const {
  return std::to_string(stream) + "_" + std::to_string(number);
}

std::optional<EventId> EventId::parse(std::string_view text) {
  const std::size_t bar = text.find('_');
  EventId id;
  if (bar == std::string_view::npos ||
      !read_number(text.substr(0, bar), id.stream) ||
      !read_number(text.substr(bar + 1), id.number)) {
    return std::nullopt;
  }
  return id;
}

McpEventStream::McpEventStream(std::uint64_t number, StreamKeeper& keeper)
    : number_(number), keeper_(keeper) {}

void McpEventStream::attach(const std::shared_ptr<net::HttpExchange>& exchange,
                            std::optional<std::uint64_t> after_number,
                            bool is_primed) {
  std::shared_ptr<net::HttpExchange> former;
  {
    const std::lock_guard lock(mutex_);
    // Under the lock, so that no event is lost or repeated between the kept
    // events and the live ones.
    exchange->begin(200, sse_headers());
    const std::uint64_t after = after_number.value_or(last_number_);
    if (is_primed) {
      exchange->write(sse_priming_event(EventId{number_, after}.to_string()));
    }
    for (const Event& event : events_) {
      if (event.number > after) exchange->write(event.text);
    }
    had_client_ = true;
    if (is_over_) return exchange->end();
    former = std::exchange(exchange_, exchange);
  }
  // Without the lock, because the exchange may call on_closed() below.
  if (former != nullptr) former->end();
  keeper_.watch(exchange);
  // The raw pointer is only compared: the callback must not keep the exchange
  // alive.
  exchange->on_closed([weak = weak_from_this(), gone = exchange.get()] {
    const auto stream = weak.lock();
    if (stream == nullptr) return;
    std::shared_ptr<net::HttpExchange> freed;  // Destroyed after unlocking.
    const std::lock_guard lock(stream->mutex_);
    if (stream->exchange_.get() == gone) freed.swap(stream->exchange_);
  });
}

void McpEventStream::keep(Event event) {
  bytes_ += event.text.size();
  events_.push_back(std::move(event));
  while (events_.size() > kMaxEvents || bytes_ > kMaxBytes) {
    bytes_ -= events_.front().text.size();
    events_.pop_front();
  }
}

void McpEventStream::send(std::string_view message) {
  const std::lock_guard lock(mutex_);
  if (is_over_ || !had_client_) return;
  const EventId id{number_, ++last_number_};
  std::string text = sse_event(id.to_string(), message);
  if (exchange_ != nullptr) exchange_->write(text);
  keep({id.number, std::move(text)});
}

void McpEventStream::pause() {
  std::shared_ptr<net::HttpExchange> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(exchange_);
  }
  if (left != nullptr) left->end();
}

void McpEventStream::end() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  pause();
}

std::size_t McpEventStream::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool McpEventStream::is_over() const {
  const std::lock_guard lock(mutex_);
  return is_over_;
}

}  // namespace lamarck::mcp
