// The chat completions of OpenAI's protocol, as a server sees them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::cli {

struct ChatCompletionRequest {
  llm::ChatRequest chat;
  bool is_stream = false;
  bool wants_usage = false;  // At the end of a stream.
};

// The error is NotFound if the request is for another model than `model`.
// Fields that are not known are ignored.
Result<ChatCompletionRequest> parse_chat_completion(const std::string& body,
                                                    std::string_view model);

struct ChatCompletionHead {
  std::string id;
  std::string model;
  std::int64_t created = 0;  // Seconds since 1970.
};
Json chat_completion(const llm::ChatReply& reply,
                     const ChatCompletionHead& head);
// The same as server-sent events: all at once, because a call is only known
// when it is complete.
std::string chat_completion_stream(const llm::ChatReply& reply,
                                   const ChatCompletionHead& head,
                                   bool wants_usage);

}  // namespace lamarck::cli
