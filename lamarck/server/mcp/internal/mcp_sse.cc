#include "lamarck/server/mcp/internal/mcp_sse.h"

#include <utility>

namespace lamarck::mcp {
namespace {

constexpr std::chrono::seconds kQuietTime{15};
constexpr int kRetryMilliseconds = 500;
constexpr std::size_t kFirstClearing = 64;

}  // namespace

net::HttpHeaders sse_headers() {
  return {{"Content-Type", "text/event-stream"},
          {"Cache-Control", "no-cache"},
          {"X-Accel-Buffering", "no"}};
}

std::string sse_event(std::string_view id, std::string_view message) {
  std::string event;
  event.reserve(message.size() + id.size() + 40);
  if (!id.empty()) event.append("id: ").append(id).append("\n");
  event.append("event: message\ndata: ").append(message).append("\n\n");
  return event;
}

std::string sse_priming_event(std::string_view id) {
  // Clients drop an event without a data line.
  return "id: " + std::string(id) +
         "\nretry: " + std::to_string(kRetryMilliseconds) + "\ndata:\n\n";
}

StreamKeeper::~StreamKeeper() {
  end_.cancel("The server is stopping.");
  if (thread_.joinable()) thread_.join();
}

void StreamKeeper::watch(const std::shared_ptr<net::HttpExchange>& exchange) {
  const std::lock_guard lock(mutex_);
  // Cleans up when the list has doubled, so the cost per stream is constant.
  if (exchanges_.size() >= next_clearing_) {
    std::erase_if(exchanges_,
                  [](const auto& known) { return known.expired(); });
    next_clearing_ = 2 * exchanges_.size() + kFirstClearing;
  }
  exchanges_.push_back(exchange);
  if (!thread_.joinable()) thread_ = std::thread([this] { keep_loop(); });
}

void StreamKeeper::keep_loop() {
  const CancelToken end = end_.token();
  while (!end.wait_for(kQuietTime)) {
    std::vector<std::shared_ptr<net::HttpExchange>> alive;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(exchanges_, [&](const auto& known) {
        auto exchange = known.lock();
        if (exchange == nullptr) return true;
        alive.push_back(std::move(exchange));
        return false;
      });
    }
    for (const auto& exchange : alive) exchange->write(":\n\n");
  }
}

}  // namespace lamarck::mcp
