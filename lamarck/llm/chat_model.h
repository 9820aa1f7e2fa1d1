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

enum class Role : std::uint8_t { System, User, Assistant, Tool };

std::string_view role_name(Role role);  // "system" and so on.

// A call that a model asks for.
struct ChatToolCall {
  std::string id;         // Chosen by the server; the result refers to it.
  std::string name;       // Of a tool of the request; not checked.
  std::string arguments;  // JSON text, as the model wrote it; not checked.

  friend bool operator==(const ChatToolCall&, const ChatToolCall&) = default;
};

struct ChatMessage {
  Role role = Role::User;
  std::string text;                           // UTF-8.
  std::vector<ChatToolCall> tool_calls = {};  // Of the assistant.
  std::string tool_call_id = {};  // Of a tool: the call this is the result of.

  friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

// A tool that the model may call. The name has 1 to 64 letters, digits, '_' and
// '-'.
struct ChatTool {
  std::string name;
  std::string description;
  std::string parameters;  // JSON Schema of the arguments, as text.
};
enum class ToolChoice : std::uint8_t { Auto, None, Required };

// The form that the answer must have. Not every server honours it.
struct ResponseSchema {
  std::string name;    // Letters, digits, '_' and '-'.
  std::string schema;  // JSON Schema, as text.
};

// Fields that are not set are left to the server of the model.
struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::int64_t max_tokens = 2048;  // Per answer; at least 1.
  std::optional<double> temperature;
  std::optional<std::int64_t> seed;  // Not every server honours it.
  std::vector<std::string> stop;     // Texts at which the answer ends.
  std::vector<ChatTool> tools;
  ToolChoice tool_choice = ToolChoice::Auto;  // Ignored without tools.
  std::optional<ResponseSchema> response_schema;
  // Covers everything: waiting for a free slot, connecting, all attempts and
  // the whole answer. nullopt = the default of the model.
  std::optional<std::chrono::milliseconds> timeout;
};

enum class FinishReason : std::uint8_t {
  Stop,    // The model finished.
  Length,  // `max_tokens` was reached; the text may be cut anywhere.
  Other,   // For example a content filter.
  ToolCalls,
};

struct ChatReply {
  std::string text;  // May be empty if there are tool calls.
  std::vector<ChatToolCall> tool_calls;
  FinishReason finish = FinishReason::Stop;
  TokenUsage usage;
  std::optional<std::int64_t> money_micros;  // nullopt if the price is unknown.
  int attempts = 1;
};

// Thread safety: all members may be called from any thread.
class ChatModel {
 public:
  // Receives each piece of text as it arrives.
  using OnText = std::function<void(std::string_view piece)>;

  virtual ~ChatModel() = default;

  virtual const std::string& name() const = 0;
  virtual const std::optional<ModelPrice>& price() const = 0;

  // The error fields "tokens_in", "tokens_out" and "money_micros" give the
  // possible cost of a failed call; they are absent if it cost nothing.
  virtual Result<ChatReply> complete(const ChatRequest& request,
                                     const CancelToken& cancel) = 0;
  // Like `complete`; the pieces together are the text of the reply.
  virtual Result<ChatReply> stream(const ChatRequest& request,
                                   const OnText& on_text,
                                   const CancelToken& cancel) = 0;
};

}  // namespace lamarck::llm
