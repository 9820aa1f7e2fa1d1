// Server-sent events: what a stream over HTTP is made of.

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

// `id` "" = none. `message` has no line ends.
std::string sse_event(std::string_view id, std::string_view message);
// The first event of a stream that one can come back to.
std::string sse_priming_event(std::string_view id);

// Sends a comment over quiet streams now and then, so that nothing on the way
// takes them for dead.
// Thread safety: any member from any thread.
class StreamKeeper {
 public:
  StreamKeeper() = default;
  ~StreamKeeper();
  StreamKeeper(const StreamKeeper&) = delete;
  StreamKeeper& operator=(const StreamKeeper&) = delete;

  // Until nobody else holds it.
  void watch(const std::shared_ptr<net::HttpExchange>& exchange);

 private:
  void keep_loop();

  CancelSource end_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::weak_ptr<net::HttpExchange>> exchanges_;
  std::size_t next_clearing_ = 0;  // Of those that are gone.
  std::thread thread_;             // Starts with the first stream.
};

}  // namespace lamarck::mcp
