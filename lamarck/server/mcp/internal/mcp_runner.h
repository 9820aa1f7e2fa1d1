// Brings one call of a handler to its end, whatever the handler asks for.

#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "lamarck/server/mcp/internal/mcp_call.h"
#include "lamarck/server/mcp/internal/mcp_catalog.h"
#include "lamarck/server/mcp/internal/mcp_state_seal.h"
#include "lamarck/server/mcp/internal/mcp_tasks.h"
#include "lamarck/server/mcp/internal/mcp_workers.h"

namespace lamarck::mcp {

struct HandlerRun {
  std::shared_ptr<McpCall> call;
  std::function<Outcome(CallContext&)> handler;
  std::string_view hints;             // Members of modern results; static text.
  const CatalogTool* tool = nullptr;  // For calls of tools; in the catalog.
};

// Thread safety: any member from any thread.
class McpRunner {
 public:
  // All outlive it.
  McpRunner(const McpCatalog& catalog, const StateSeal& seal, McpTasks& tasks,
            McpWorkers& workers, bool checks_output);

  // Runs the handler here; if it turns out that something must be waited for,
  // goes on elsewhere.
  void run_here(HandlerRun run);
  // Returns at once.
  void run_elsewhere(HandlerRun run);
  // Likewise, for what is not a handler; `work` ends the call.
  void post(const std::shared_ptr<McpCall>& call, std::function<void()> work);

 private:
  Outcome called(const HandlerRun& run) const;
  // Works on the outcome until the call is over; may wait.
  void drive(HandlerRun run, Outcome outcome);
  // Each returns whether the handler is to be called again.
  bool ask_client(const HandlerRun& run, const InputRequired& required);
  // After a cancellation by the client: the handler is called a last time, so
  // that it can put away what it had begun.
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
  const bool checks_output_;
};

// What a requestState of this call belongs to.
StateOwner state_owner(const McpCall& call);

}  // namespace lamarck::mcp
