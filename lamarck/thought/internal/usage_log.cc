#include "lamarck/thought/internal/usage_log.h"

#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/thought/internal/log_append.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::string_view kUsageRun = "usage";
constexpr std::size_t kUsagePage = 5000;

}  // namespace

void UsageLog::record(const Session& session) {
  static_cast<void>(append_to_log(
      journal_,
      {.id = std::string(kUsageRun),
       .kind = "usage",
       .title = "Tokens of ended sessions",
       .created = clock_.wall_time()},
      {.id = "use_" + session.id,
       .type = "usage",
       .role = "decider",
       .content = session.id,
       .constraints =
           dump_json(Json{{"state", session_state_name(session.state)}}),
       .status = "done",
       .token_cost = session.tokens_used,
       .ts = clock_.wall_time()}));
}

Result<Usage> UsageLog::ended() {
  const std::lock_guard lock(mutex_);
  while (true) {
    const Result<std::vector<store::Event>> events =
        journal_.events(kUsageRun, head_, kUsagePage);
    if (!events && events.error().code() == ErrorCode::NotFound) return usage_;
    if (!events) return events.error();
    for (const store::Event& event : *events) {
      ++usage_.sessions;
      usage_.tokens += event.token_cost;
      head_ = event.seq;
    }
    if (events->size() < kUsagePage) return usage_;
  }
}

}  // namespace lamarck::thought::internal
