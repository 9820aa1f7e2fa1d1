// Who thinks for a branch.

#pragma once

#include <cstdint>
#include <string>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::thought {

// What one branch wants to be thought next.
struct ThinkRequest {
  std::string id;      // Unique in its parallel run: "<branch>#<round>".
  std::string branch;  // Its id.
  std::string system;
  std::string prompt;
  std::int64_t max_tokens = 200;
};

struct ThoughtReply {
  std::string text;
  std::int64_t tokens = 0;  // In and out; 0 = estimate it from the texts.
  std::string model;
};

// Thread safety: any member from any thread.
class Thinker {
 public:
  virtual ~Thinker() = default;
  virtual Result<ThoughtReply> think(const ThinkRequest& request,
                                     const CancelToken& cancel) = 0;
};

// An OpenAI-compatible endpoint. `model` outlives it.
class ModelThinker : public Thinker {
 public:
  explicit ModelThinker(llm::ChatModel& model) : model_(model) {}
  Result<ThoughtReply> think(const ThinkRequest& request,
                             const CancelToken& cancel) override;

 private:
  llm::ChatModel& model_;
};

}  // namespace lamarck::thought
