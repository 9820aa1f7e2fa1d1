#include "lamarck/server/thought_service.h"

#include <utility>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/server/thought_tools.h"
#include "lamarck/store/memory_journal.h"
#include "lamarck/store/sqlite_journal.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::server {

// In the order in which they need each other.
struct ThoughtService::Parts {
  std::unique_ptr<store::Journal> journal;
  std::shared_ptr<llm::ChatModel> model;
  std::unique_ptr<thought::Thinker> thinker;  // Null without a model.
  std::unique_ptr<thought::ThoughtEngine> engine;
  std::unique_ptr<mcp::McpServer> protocol;
  Remover unwatch;

  ~Parts() {
    if (unwatch) unwatch();
  }
};

ThoughtService::ThoughtService(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
ThoughtService::~ThoughtService() = default;

Result<std::unique_ptr<ThoughtService>> ThoughtService::open(
    ThoughtServiceOptions options, Clock& clock) {
  auto parts = std::make_unique<Parts>();
  if (options.journal.empty()) {
    parts->journal = store::make_memory_journal();
  } else {
    ASSIGN_OR_RETURN(parts->journal,
                     store::open_sqlite_journal({.path = options.journal,
                                                 .durable = options.durable}));
  }
  parts->model = std::move(options.model);
  if (parts->model) {
    parts->thinker = std::make_unique<thought::ModelThinker>(*parts->model);
  }
  Rng rng(entropy_seed());
  if (options.protocol.state_key.empty()) {
    for (int i = 0; i < 4; ++i) {
      options.protocol.state_key += to_hex64(entropy_seed());
    }
  }
  parts->engine = std::make_unique<thought::ThoughtEngine>(
      thought::EngineOptions{}, *parts->journal, clock, rng.split("engine"));
  mcp::Registry registry;
  add_thought_tools({.engine = *parts->engine,
                     .journal = *parts->journal,
                     .thinker = parts->thinker.get()},
                    registry);
  ASSIGN_OR_RETURN(
      parts->protocol,
      mcp::McpServer::create(std::move(registry), options.protocol, clock,
                             rng.split("protocol"), parts->journal.get()));
  parts->unwatch = parts->journal->use_profiler(
      [protocol = parts->protocol.get()](const store::RunAppended& event) {
        const auto& events = event.payload.events;
        if (!events.empty() && events.front().seq == 1) {
          protocol->resources_changed();
        }
        for (const std::string& uri : changed_resources(event.payload)) {
          protocol->resource_updated(uri);
        }
      });
  return std::unique_ptr<ThoughtService>(new ThoughtService(std::move(parts)));
}

store::Journal& ThoughtService::journal() { return *parts_->journal; }
thought::ThoughtEngine& ThoughtService::engine() { return *parts_->engine; }
mcp::McpServer& ThoughtService::protocol() { return *parts_->protocol; }

}  // namespace lamarck::server
