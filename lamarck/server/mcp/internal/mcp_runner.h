// Runs a handler until its call is over, including requests to the client and
// tasks.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/server/mcp/internal/mcp_call.h"
#include "lamarck/server/mcp/internal/mcp_catalog.h"
#include "lamarck/server/mcp/internal/mcp_questions.h"
#include "lamarck/server/mcp/internal/mcp_state_seal.h"
#include "lamarck/server/mcp/internal/mcp_tasks.h"
#include "lamarck/server/mcp/internal/mcp_workers.h"

namespace lamarck::mcp {

struct HandlerRun {
  std::shared_ptr<McpCall> call;
  std::function<Outcome(CallContext&)> handler;
  std::string_view hints;             // Members of modern results; static text.
  const CatalogTool* tool = nullptr;  // For tool calls; in the catalog.
};

// Thread safety: all members may be called from any thread.
class McpRunner {
 public:
  // All references must outlive this.
  McpRunner(const McpCatalog& catalog, const StateSeal& seal, McpTasks& tasks,
            McpWorkers& workers, const Clock& clock, bool checks_output);

  // Runs the handler on this thread, and continues on a worker if something
  // must be waited for.
  void run_here(HandlerRun run);
  // Runs the handler on a worker; returns immediately.
  void run_elsewhere(HandlerRun run);
  // Runs other work on a worker; `work` ends the call.
  void post(const std::shared_ptr<McpCall>& call, std::function<void()> work);

 private:
  Outcome called(const HandlerRun& run) const;
  // Calls that may keep a worker busy for long; the other workers serve the
  // rest.
  std::size_t max_slow() const;
  // Processes outcomes until the call is over; may block.
  void drive(HandlerRun run, Outcome outcome);
  // Calls ask_client() unless too many calls wait for their clients already:
  // each keeps a worker busy, and the others must serve the rest.
  bool ask_if_free(const HandlerRun& run, const InputRequired& required,
                   McpQuestions& questions);
  // Returns whether the handler must be called again; so does begin_task().
  bool ask_client(const HandlerRun& run, const InputRequired& required,
                  McpQuestions& questions);
  // After a cancellation by the client, calls the handler one last time so that
  // it can clean up.
  void let_go(const HandlerRun& run, const Outcome& outcome) const;
  bool begin_task(HandlerRun& run, StartTask start);
  void finish_final(const HandlerRun& run, Outcome outcome);
  void finish_complete(const HandlerRun& run, std::string result);
  void finish_required(const HandlerRun& run, const InputRequired& required);
  void refuse(const HandlerRun& run, const Failure& failure);

  const McpCatalog& catalog_;
  const StateSeal& seal_;
  McpTasks& tasks_;
  McpWorkers& workers_;
  const Clock& clock_;
  const bool checks_output_;
  std::atomic<std::size_t> slow_ = 0;     // Calls of tools that may take long.
  std::atomic<std::size_t> waiting_ = 0;  // Calls that wait for their clients.
};

// The owner of a requestState of this call.
StateOwner state_owner(const McpCall& call);

}  // namespace lamarck::mcp
