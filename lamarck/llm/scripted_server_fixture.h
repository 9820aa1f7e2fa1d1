// An HTTP server that plays a script, for tests of model clients: it can
// answer, stream, stall, send invalid or endless data, and reset connections.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/llm/scripted_scene_fixture.h"

namespace lamarck::llm {

struct ServerRequest {
  std::string head;  // The request line and the headers.
  std::string body;
};

// Listens on a free local port from construction to destruction. Requests get
// the scenes in the order of arrival; the last scene repeats. Thread safety:
// any member from any thread.
class ScriptedServer {
 public:
  // REQUIRES: `scenes` is not empty.
  explicit ScriptedServer(std::vector<ServerScene> scenes);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string base_url() const;  // "http://127.0.0.1:PORT/v1"
  std::vector<ServerRequest> requests() const;
  std::size_t connection_count() const;  // In total.
  // The largest number of requests that were handled concurrently.
  std::size_t max_concurrent_requests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck::llm
