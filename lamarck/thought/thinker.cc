#include "lamarck/thought/thinker.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/macros.h"

namespace lamarck::thought {

Result<ThoughtReply> ModelThinker::think(const ThinkRequest& request,
                                         const CancelToken& cancel) {
  llm::ChatRequest chat{.max_tokens =
                            std::max<std::int64_t>(1, request.max_tokens)};
  if (!request.system.empty()) {
    chat.messages.push_back({llm::Role::System, request.system});
  }
  chat.messages.push_back({llm::Role::User, request.prompt});
  ASSIGN_OR_RETURN(llm::ChatReply reply, model_.complete(chat, cancel));
  return ThoughtReply{.text = std::move(reply.text),
                      .tokens = reply.usage.total(),
                      .model = model_.name()};
}

}  // namespace lamarck::thought
