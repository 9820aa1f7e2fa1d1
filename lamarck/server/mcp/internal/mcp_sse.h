// Server-sent events.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/net/http_server.h"

namespace lamarck::mcp {

net::HttpHeaders sse_headers();

// `id` "" = none. REQUIRES: `message` has no line ends.
std::string sse_event(std::string_view id, std::string_view message);
// The first event of a resumable stream.
std::string sse_priming_event(std::string_view id);

// Sends a comment over idle streams every 15 seconds, so that proxies do not
// close them. Thread safety: any member from any thread.
class StreamKeeper {
 public:
  StreamKeeper() = default;
  ~StreamKeeper();
  StreamKeeper(const StreamKeeper&) = delete;
  StreamKeeper& operator=(const StreamKeeper&) = delete;

  // Stops when no other owner holds the exchange.
  void watch(const std::shared_ptr<net::HttpExchange>& exchange);

 private:
  void keep_loop();

  CancelSource end_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::weak_ptr<net::HttpExchange>> exchanges_;
  std::size_t next_clearing_ = 0;  // Size that triggers a cleanup.
  std::thread thread_;             // Started with the first stream.
};

}  // namespace lamarck::mcp
