// The journal, the engine and the protocol server combined; run by `lamarck
// mcp` and `lamarck serve`.

#pragma once

#include <functional>
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
  std::string journal;  // A file or a PostgreSQL URL; "" = in memory only.
  // Adds further tools to those for thoughts.
  std::function<void(mcp::Registry&)> add_tools;
  bool durable = true;  // Replies only after the data is on disk.
  std::shared_ptr<llm::ChatModel> model;  // Thinks for branches; may be null.
  mcp::McpOptions protocol;
};

// Thread safety: all members may be called from any thread.
class ThoughtService {
 public:
  // `clock` must outlive the service.
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
