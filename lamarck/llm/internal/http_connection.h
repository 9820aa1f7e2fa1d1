// A persistent HTTP connection for POST requests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/llm/internal/deadline.h"

namespace lamarck::llm::internal {

struct HttpPost {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"; may contain secrets.
  std::string body;
  std::size_t max_reply_bytes = 0;  // Bytes, including headers.
  bool uses_proxy = true;           // If the environment sets one.
  // Receives the body of a 2xx reply piece by piece and returns whether more is
  // wanted. May throw.
  std::function<bool(std::string_view bytes)> on_bytes;
};

enum class HttpEnding : std::uint8_t {
  Complete,
  Stopped,  // `on_bytes` returned false.
  Cancelled,
  TimedOut,
  TooLarge,
  NotConnected,  // No server listens there.
  Broken,        // Any other failure; see `reason`.
};

struct HttpOutcome {
  HttpEnding ending = HttpEnding::Complete;
  std::string reason;       // libcurl's text for a failure.
  long status = 0;          // 0 if no reply started.
  std::string failed_body;  // Body if the status is not 2xx.
  std::string retry_after;  // In seconds, if present.
  std::string location;     // The header, if present.
  bool was_sent = false;    // The whole request was sent.
};

// Keeps the connection open for the next post. Does not follow redirects,
// because they would send secrets to another server. Owned by one thread at a
// time.
class HttpConnection {
 public:
  HttpConnection();
  ~HttpConnection();
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) noexcept;

  HttpOutcome post(const HttpPost& post, const Deadline& deadline,
                   const CancelToken& cancel);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace lamarck::llm::internal
