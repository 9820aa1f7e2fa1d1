// One HTTP connection that posts and waits for what comes back.

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
  std::vector<std::string> headers;  // "Name: value"; may hold secrets.
  std::string body;
  std::size_t largest_reply = 0;  // Bytes, headers included.
  bool uses_proxy = true;         // If the environment names one.
  // Gets what a reply of status 2xx brings, piece by piece, and says whether
  // more is wanted. May throw.
  std::function<bool(std::string_view bytes)> on_bytes;
};

enum class HttpEnding : std::uint8_t {
  Complete,
  Stopped,  // `on_bytes` wanted no more.
  Cancelled,
  TimedOut,
  TooLarge,
  NotConnected,  // Nobody listens there.
  Broken,        // Anything else; `reason` tells.
};

struct HttpOutcome {
  HttpEnding ending = HttpEnding::Complete;
  std::string reason;       // Of a failure, in the words of the library.
  long status = 0;          // 0 if no answer began.
  std::string failed_body;  // Of a status other than 2xx.
  std::string retry_after;  // The headers of that name, if any.
  std::string location;
  bool was_sent = false;  // The whole request left this machine.
};

// Keeps its connection open for the next post. Follows no redirects, because
// they would carry secrets elsewhere. Owned by one thread at a time.
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
