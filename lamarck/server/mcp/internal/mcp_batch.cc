#include "lamarck/server/mcp/internal/mcp_batch.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

constexpr std::string_view kBatchVersion = "2025-03-26";

// Collects the replies. Thread safety: any member from any thread.
class BatchReply {
 public:
  // `open` is the number of requests plus one for accept_batch() itself, so
  // that the batch cannot finish before all requests are handed out.
  BatchReply(std::shared_ptr<McpReplySink> sink, std::size_t open)
      : sink_(std::move(sink)), open_(open) {}

  void send(std::string message) { sink_->send(std::move(message)); }

  // "" = the request has no reply.
  void add(const std::string& reply) {
    {
      const std::lock_guard lock(mutex_);
      if (!reply.empty()) {
        replies_ += replies_.empty() ? "[" : ",";
        replies_ += reply;
      }
      if (--open_ > 0) return;
    }
    if (replies_.empty()) {
      sink_->drop();
    } else {
      sink_->finish(replies_ + "]", 200);
    }
  }

 private:
  const std::shared_ptr<McpReplySink> sink_;

  std::mutex mutex_;
  // Guarded by mutex_ until open_ is 0; the last caller then owns them.
  std::size_t open_;
  std::string replies_;
};

constexpr std::size_t kMaxMessages = 100;

class BatchSink final : public McpReplySink {
 public:
  explicit BatchSink(std::shared_ptr<BatchReply> batch)
      : batch_(std::move(batch)) {}

  void send(std::string message) override { batch_->send(std::move(message)); }
  void finish(std::string message, int /*status*/) override {
    batch_->add(message);
  }
  void drop() override { batch_->add(""); }

 private:
  const std::shared_ptr<BatchReply> batch_;
};

void refuse_batch(McpReplySink& sink, std::string_view why) {
  sink.finish(error_message("", {kInvalidRequest, std::string(why), ""}), 400);
}

}  // namespace

void accept_batch(McpCore& core, Json batch,
                  const std::shared_ptr<McpReplySink>& sink,
                  const std::shared_ptr<McpSession>& session) {
  if (session == nullptr || session->version() != kBatchVersion) {
    return refuse_batch(*sink,
                        "Only protocol version 2025-03-26 supports batches.");
  }
  if (batch.empty()) return refuse_batch(*sink, "A batch must not be empty.");
  if (batch.size() > kMaxMessages) {
    return refuse_batch(*sink, "A batch must have at most 100 messages.");
  }
  std::vector<McpMessage> messages;
  std::vector<std::string> refusals;
  std::size_t requests = 0;
  for (Json& item : batch) {
    auto read = read_message(std::move(item));
    if (const auto* refusal = std::get_if<McpRefusal>(&read)) {
      refusals.push_back(error_message(refusal->id, refusal->failure));
      continue;
    }
    auto& message = std::get<McpMessage>(read);
    if (claims_modern(message)) {
      return refuse_batch(
          *sink,
          "Requests of protocol version 2026-07-28 must not be batched.");
    }
    if (message.kind == McpMessage::Kind::Request) ++requests;
    messages.push_back(std::move(message));
  }
  const auto reply =
      std::make_shared<BatchReply>(sink, requests + refusals.size() + 1);
  for (const std::string& refusal : refusals) reply->add(refusal);
  for (McpMessage& message : messages) {
    if (message.kind == McpMessage::Kind::Request) {
      core.accept_legacy(std::move(message), std::make_shared<BatchSink>(reply),
                         session);
    } else {
      core.accept_quietly(message, *session);
    }
  }
  reply->add("");
}

}  // namespace lamarck::mcp
