// An HTTP server that plays a script, for tests of whatever uses a model: it
// answers, streams, stalls, lies, floods and dies as told.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/llm/scripted_scene.h"

namespace lamarck::llm {

struct ServerRequest {
  std::string head;  // The request line and the headers.
  std::string body;
};

// Listens on a free port of this machine alone from construction to
// destruction. Requests get the scenes in the order of their arrival; the last
// scene goes on for all that follow.
// Thread safety: any member from any thread.
class ScriptedServer {
 public:
  // REQUIRES: there is a scene.
  explicit ScriptedServer(std::vector<ServerScene> scenes);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string base_url() const;  // "http://127.0.0.1:PORT/v1"
  std::vector<ServerRequest> requests() const;
  std::size_t connection_count() const;  // Since the beginning.
  // How many requests were being answered at the same time, at most.
  std::size_t busiest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck::llm
