// Where the messages of one call go.

#pragma once

#include <string>

namespace lamarck::mcp {

// Thread safety: any member from any thread; after the first of `finish` and
// `drop` nothing has any effect.
class McpReplySink {
 public:
  virtual ~McpReplySink() = default;

  // Notifications, and requests of the legacy era, before the end.
  virtual void send(std::string message) = 0;
  // The reply. `status` is for HTTP, where nothing was sent before.
  virtual void finish(std::string message, int status) = 0;
  // There is no reply, because nobody waits for it any more.
  virtual void drop() = 0;
  // Breaks the connection; the client comes back for the rest.
  virtual void pause() {}
  // Whether nobody else needs the thread that brought the request, so that it
  // may wait for a disk.
  virtual bool may_wait_here() const { return false; }
};

}  // namespace lamarck::mcp
