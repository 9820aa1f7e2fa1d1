// Journal, engine and protocol put together: what `lamarck mcp` and `lamarck
// serve` run.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/server/mcp/mcp_server.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::server {

struct ThoughtServiceOptions {
  std::string journal;  // A file; "" = in memory, gone at the end.
  bool durable = true;  // Each answer only after it is on the disk.
  std::shared_ptr<llm::ChatModel> model;  // Thinks for branches; may be null.
  mcp::McpOptions protocol;
};

// Thread safety: any member from any thread.
class ThoughtService {
 public:
  // `clock` outlives it.
  static Result<std::unique_ptr<ThoughtService>> open(
      ThoughtServiceOptions options, Clock& clock);
  ~ThoughtService();

  store::Journal& journal();
  thought::ThoughtEngine& engine();
  mcp::McpServer& protocol();

 private:
  struct Parts;
  explicit ThoughtService(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace lamarck::server
