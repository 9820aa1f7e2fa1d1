// The chat messages of the OpenAI-compatible protocol, as JSON.

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

// How the longest answer is called: newer models know only the second name.
enum class LimitName : std::uint8_t { MaxTokens, MaxCompletionTokens };

struct ChatBodyOptions {
  std::string model;
  bool streams = false;
  LimitName limit_name = LimitName::MaxTokens;
};

std::string chat_body(const ChatRequest& request,
                      const ChatBodyOptions& options);

// An answer as far as the server gave it.
struct WireReply {
  std::optional<std::string> text;  // Nothing where the content is null.
  std::string refusal;              // The model's reason not to answer.
  FinishReason finish = FinishReason::Stop;
  std::optional<TokenUsage> usage;
};

// {"usage": {"prompt_tokens", "completion_tokens"}}; nothing if it is missing
// or makes no sense.
std::optional<TokenUsage> read_usage(const Json& reply);

Result<WireReply> parse_chat_reply(std::string_view body);

// An answer that comes in pieces. Also takes one that came whole although
// pieces were asked for.
class ChatStream {
 public:
  explicit ChatStream(const ChatModel::OnText& on_text) : on_text_(on_text) {}

  // Returns whether more is wanted: not after the end, nor after nonsense.
  bool feed(std::string_view bytes);
  // Once no more bytes come: the answer, or what was wrong with it.
  Result<WireReply> finish();

 private:
  Result<void> take_event(const std::string& data);
  Result<WireReply> finish_whole();
  void take_choice(const Json& choice);

  const ChatModel::OnText& on_text_;
  EventStream events_;
  std::optional<bool> is_whole_;  // Once the first byte has told.
  std::string whole_;
  std::string text_;
  WireReply reply_;
  bool has_finished_ = false;  // A finish reason or the last event came.
  std::optional<Error> failure_;
};

}  // namespace lamarck::llm::internal
