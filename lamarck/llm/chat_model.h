// A language model that answers a conversation.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/token_usage.h"

namespace lamarck::llm {

enum class Role : std::uint8_t { System, User, Assistant };

std::string_view role_name(Role role);  // "system" and so on.

struct ChatMessage {
  Role role = Role::User;
  std::string text;  // UTF-8.

  friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

// What is not set is left to the model's server.
struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::int64_t max_tokens = 2048;  // Of the answer; at least 1.
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;  // A wish; not every server honours it.
  std::vector<std::string> stop;     // Texts at which the answer ends.
  // For everything: waiting for a turn, connecting, every further attempt and
  // the whole answer. Else as the model is set.
  std::optional<std::chrono::milliseconds> timeout;
};

enum class FinishReason : std::uint8_t {
  Stop,    // The model was done.
  Length,  // It used up `max_tokens`; the text may break off anywhere.
  Other,   // As a filter that stepped in.
};

struct ChatReply {
  std::string text;
  FinishReason finish = FinishReason::Stop;
  TokenUsage usage;
  std::optional<std::int64_t> money_micros;  // Nothing if no price is known.
  int attempts = 1;
};

// Thread safety: any member from any thread.
class ChatModel {
 public:
  // Gets each piece of text as it comes.
  using OnText = std::function<void(std::string_view piece)>;

  virtual ~ChatModel() = default;

  virtual const std::string& name() const = 0;
  virtual const std::optional<ModelPrice>& price() const = 0;

  // An error's fields "tokens_in", "tokens_out" and "money_micros" say what a
  // failed call may have cost; they are absent where it cost nothing.
  virtual Result<ChatReply> complete(const ChatRequest& request,
                                     const CancelToken& cancel) = 0;
  // Likewise; the pieces together are the reply's text.
  virtual Result<ChatReply> stream(const ChatRequest& request,
                                   const OnText& on_text,
                                   const CancelToken& cancel) = 0;
};

}  // namespace lamarck::llm
