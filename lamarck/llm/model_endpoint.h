// Where a model is served: an address that speaks the OpenAI-compatible
// protocol, reached with patience but never beyond one deadline.

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
  std::string api_key;  // Empty: none is sent, as local servers need none.
  std::chrono::milliseconds timeout{120'000};  // Of one call, with everything.
  int attempts = 5;  // While the server is busy, broken or not there; >= 1.
  std::chrono::milliseconds first_pause{500};  // Doubles; chance varies it.
  std::size_t concurrent_calls = 8;            // At least 1; others wait.
  std::size_t largest_reply = std::size_t{8} << 20;  // Bytes.
  std::uint64_t jitter_seed = 0;
};

struct EndpointCall {
  std::string path;  // Below the base address: "/chat/completions".
  std::string body;  // JSON.
  std::optional<std::chrono::milliseconds> timeout;
  // Gets the bytes of a good answer as they come, of others nothing, and says
  // whether more is wanted.
  std::function<bool(std::string_view bytes)> on_bytes;
};

struct EndpointReply {
  // An error's field "status" has the server's status, if it gave one.
  Result<void> outcome;
  int attempts = 1;
  // The request arrived and was not refused, so it may be charged.
  bool may_have_cost = false;
  std::chrono::milliseconds time_left{0};  // Of the call's deadline.
};

// Keeps connections open between calls. The key goes to this address alone:
// into no error, no log and no environment.
// Thread safety: any member from any thread.
class ModelEndpoint {
 public:
  // An address that is none, or a key that no header can carry, is an error.
  // `clock` outlives the endpoint.
  static Result<std::shared_ptr<ModelEndpoint>> open(EndpointOptions options,
                                                     Clock& clock);
  ~ModelEndpoint();

  // Tries again after 429, 5xx and refused connections, as often and as long
  // as the options and the call's one deadline allow; a server's Retry-After
  // counts. Everything else is final.
  EndpointReply post(const EndpointCall& call, const CancelToken& cancel);

  // The address for people, without the password that it may carry.
  const std::string& shown_address() const;
  // `text` with the key blotted out, should a server have repeated it.
  std::string without_key(std::string text) const;

 private:
  struct State;
  explicit ModelEndpoint(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lamarck::llm
