// The chat messages of the OpenAI-compatible protocol in JSON.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/llm/internal/event_stream.h"

namespace lamarck::llm::internal {

// The name of the token limit; newer models accept only the second one.
enum class LimitName : std::uint8_t { MaxTokens, MaxCompletionTokens };

struct ChatBodyOptions {
  std::string model;
  bool streams = false;
  LimitName limit_name = LimitName::MaxTokens;
};

std::string chat_body(const ChatRequest& request,
                      const ChatBodyOptions& options);

// The parts of an answer that the server sent.
struct WireReply {
  std::optional<std::string> text;  // nullopt if the content is null.
  std::vector<ChatToolCall> tool_calls;
  std::string refusal;  // Why the model declined to answer.
  FinishReason finish = FinishReason::Stop;
  std::optional<TokenUsage> usage;
};

// Reads {"usage": {"prompt_tokens", "completion_tokens"}}; nullopt if it is
// missing or not plausible.
std::optional<TokenUsage> read_usage(const Json& reply);

Result<WireReply> parse_chat_reply(std::string_view body);

// Reads a streamed answer. Also accepts an answer in one piece, although a
// stream was requested.
class ChatStream {
 public:
  explicit ChatStream(const ChatModel::OnText& on_text) : on_text_(on_text) {}

  // Returns whether more bytes are wanted: false after the end or an error.
  bool feed(std::string_view bytes);
  // Call when no more bytes come. Returns the answer or the error.
  Result<WireReply> finish();

 private:
  Result<void> take_event(const std::string& data);
  Result<WireReply> finish_whole();
  void take_choice(const Json& choice);
  void take_tool_calls(const Json& calls);

  const ChatModel::OnText& on_text_;
  EventStream events_;
  std::optional<bool> is_whole_;  // Known after the first byte.
  std::string whole_;
  std::string text_;
  WireReply reply_;
  bool has_finished_ = false;  // Finish reason or [DONE] received.
  std::optional<Error> failure_;
};

}  // namespace lamarck::llm::internal
