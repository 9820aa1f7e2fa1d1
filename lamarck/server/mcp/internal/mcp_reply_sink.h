// The destination of the messages of one call.

#pragma once

#include <string>

namespace lamarck::mcp {

// Thread safety: any member from any thread. After the first `finish` or
// `drop`, calls have no effect.
class McpReplySink {
 public:
  virtual ~McpReplySink() = default;

  // Sends a notification, or a request of the legacy era, before the reply.
  virtual void send(std::string message) = 0;
  // Sends the reply. `status` is the HTTP status if nothing was sent before.
  virtual void finish(std::string message, int status) = 0;
  // Ends without a reply, because nobody waits for it.
  virtual void drop() = 0;
  // Closes the connection; the client reconnects for the rest.
  virtual void pause() {}
  // Returns whether the thread that read the request serves this client only,
  // so that it may block on disk access.
  virtual bool may_block() const { return false; }
};

}  // namespace lamarck::mcp
