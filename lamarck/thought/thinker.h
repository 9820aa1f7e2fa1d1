// The interface to a language model that thinks for a branch.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::thought {

// A request for the next thought of one branch.
struct ThinkRequest {
  std::string id;      // Unique in its parallel run: "<branch>#<round>".
  std::string branch;  // Its id.
  std::string system;
  std::string prompt;
  std::int64_t max_tokens = 200;
};

struct ThoughtReply {
  std::string text;
  std::int64_t tokens = 0;  // In and out; 0 = estimated from the texts.
  std::string model;
};

// The reply to one request of a parallel run.
struct RequestReply {
  std::string request;  // Its id.
  Result<ThoughtReply> reply;
  // How long the thinker took; nullopt = counted since the request was made.
  std::optional<std::chrono::milliseconds> latency = std::nullopt;
};

// Thread safety: all members may be called from any thread.
class Thinker {
 public:
  virtual ~Thinker() = default;
  virtual Result<ThoughtReply> think(const ThinkRequest& request,
                                     const CancelToken& cancel) = 0;
};

// Thinks with a chat model. `model` must outlive it.
class ModelThinker : public Thinker {
 public:
  explicit ModelThinker(llm::ChatModel& model) : model_(model) {}
  Result<ThoughtReply> think(const ThinkRequest& request,
                             const CancelToken& cancel) override;

 private:
  llm::ChatModel& model_;
};

}  // namespace lamarck::thought
