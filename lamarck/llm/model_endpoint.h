// A server with the OpenAI-compatible protocol. Calls are retried, but never
// beyond their deadline.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"

namespace lamarck::llm {

struct EndpointOptions {
  std::string base_url = "https://api.openai.com/v1";
  std::string api_key;  // Empty = none is sent, as for local servers.
  std::chrono::milliseconds timeout{120'000};  // For a whole call.
  int attempts = 5;                            // At least 1; see post().
  std::chrono::milliseconds first_pause{500};  // Doubles, with jitter.
  std::size_t concurrent_calls = 8;            // At least 1; others wait.
  std::size_t max_reply_bytes = std::size_t{8} << 20;  // Bytes.
  std::uint64_t jitter_seed = 0;
};

struct EndpointCall {
  std::string path;  // Below the base URL: "/chat/completions".
  std::string body;  // JSON.
  std::optional<std::chrono::milliseconds> timeout;
  // Receives the body of a successful reply as it arrives and returns whether
  // more is wanted.
  std::function<bool(std::string_view bytes)> on_bytes;
};

struct EndpointReply {
  // The error field "status" contains the HTTP status, if there is one. If the
  // call was cancelled after a failed attempt, "last_failure" says why that
  // failed.
  Result<void> outcome;
  int attempts = 1;
  // The request was sent and not rejected, so it may be charged.
  bool may_have_cost = false;
  std::chrono::milliseconds time_left{0};  // Until the deadline.
};

// Keeps connections open between calls. The key is sent to this server only; it
// never appears in errors, logs or the environment.
// Thread safety: all members may be called from any thread.
class ModelEndpoint {
 public:
  // Fails for an invalid URL and for a key that cannot be sent in a header.
  // `clock` must outlive the endpoint.
  static Result<std::shared_ptr<ModelEndpoint>> open(EndpointOptions options,
                                                     Clock& clock);
  ~ModelEndpoint();

  // Retries after 429, 5xx and refused connections as long as the options and
  // the deadline of the call allow, and honors Retry-After. Other failures are
  // final.
  EndpointReply post(const EndpointCall& call, const CancelToken& cancel);

  // The base URL for messages, without password and query.
  const std::string& shown_address() const;
  // Masks the key in `text`, in case a server repeats it.
  std::string without_key(std::string text) const;

 private:
  struct State;
  explicit ModelEndpoint(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lamarck::llm
