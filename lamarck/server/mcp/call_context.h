// The call that a handler answers.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"

namespace lamarck::mcp {

enum class Era : std::uint8_t {
  Legacy,  // 2024-11-05 to 2025-11-25: sessions.
  Modern,  // 2026-07-28: each request stands alone.
};

enum class LogLevel : std::uint8_t {
  Debug,
  Info,
  Notice,
  Warning,
  Error,
  Critical,
  Alert,
  Emergency
};

struct ClientCapabilities {
  bool sampling = false;
  bool elicitation_form = false;
  bool elicitation_url = false;
  bool roots = false;
  bool tasks = false;
};

// Thread safety: owned by the thread that runs the handler; `cancel` may be
// triggered from any thread.
class CallContext {
 public:
  virtual ~CallContext() = default;

  virtual Era era() const = 0;
  virtual const std::string& version() const = 0;    // "2025-11-25".
  virtual const std::string& principal() const = 0;  // "" = the only user.
  virtual const ClientCapabilities& client() const = 0;
  // Cancelled when the client cancels or disconnects, or when the server stops.
  virtual const CancelToken& cancel() const = 0;

  // The client's answer to the InputRequest with this key; null if there is
  // none yet or it has the wrong shape.
  virtual const Json* input(std::string_view key) const = 0;
  // Returns whether the request was withdrawn before it was answered.
  virtual bool is_withdrawn(std::string_view) const { return false; }
  // Returns whether the client may still answer the request.
  virtual bool is_pending(std::string_view) const { return false; }
  // Why the client did not answer the request; null if it did, or if the
  // request does not survive refusals.
  virtual const std::string* refusal(std::string_view) const { return nullptr; }
  // The keys of this round's answers and refusals in the order of arrival;
  // empty if they arrived together.
  virtual std::vector<std::string> arrived() const { return {}; }
  // How long the client took for the answer; nullopt if it is not known.
  virtual std::optional<std::chrono::milliseconds> waited(
      std::string_view) const {
    return std::nullopt;
  }
  // InputRequired::state of the previous round; "" in the first.
  virtual const std::string& state() const = 0;

  // Both are dropped if the client did not ask for them, as is progress that
  // does not increase.
  virtual void progress(double progress, std::optional<double> total,
                        std::string_view message) = 0;
  virtual void log(LogLevel level, std::string_view logger,
                   const Json& data) = 0;

  // Closes the connection without ending the call; a 2025-11-25 client over
  // HTTP reconnects for the rest. Has no effect for other clients.
  virtual void close_stream() {}
};

}  // namespace lamarck::mcp
