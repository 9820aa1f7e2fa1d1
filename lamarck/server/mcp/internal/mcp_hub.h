// Delivers change notifications to listening streams and legacy sessions.

#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/server/mcp/internal/mcp_call.h"
#include "lamarck/server/mcp/internal/mcp_session.h"

namespace lamarck::mcp {

struct ListenFilter {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string, std::less<>> uris;
  std::set<std::string, std::less<>> tasks;
};

// Thread safety: all members may be called from any thread.
class McpHub {
 public:
  // Acknowledges the call, which stays open until its client or `stop` ends it.
  void listen(const std::shared_ptr<McpCall>& call, ListenFilter filter);
  // Ends the listening calls of a disconnected client without a reply.
  void leave(const McpSession& session);
  // Holds a weak pointer: the session is notified while another owner keeps it.
  // Adding it again has no effect.
  void add_session(const std::shared_ptr<McpSession>& session);

  void tools_changed();
  void prompts_changed();
  void resources_changed();
  void resource_updated(std::string_view uri);
  // Notifies subscribers of all URIs that start with `uri` and a slash.
  void resources_updated_below(std::string_view uri);
  // `task` contains the JSON members of the task.
  void task_changed(std::string_view id, std::string_view task);

  std::size_t listen_count();
  // Returns whether anybody subscribed to a resource or listens to their list.
  bool has_subscribers();

  // Ends every listening call with its result; later ones end immediately.
  void stop();

 private:
  struct Listener {
    std::shared_ptr<McpCall> call;
    ListenFilter filter;
  };
  using Listeners = std::vector<std::shared_ptr<const Listener>>;

  Listeners listeners();
  std::vector<std::shared_ptr<McpSession>> sessions();
  void publish_change(std::string_view method, bool ListenFilter::*wanted);

  std::mutex mutex_;
  // Guarded by mutex_.
  Listeners listeners_;
  std::vector<std::weak_ptr<McpSession>> sessions_;
  bool is_stopped_ = false;
};

}  // namespace lamarck::mcp
