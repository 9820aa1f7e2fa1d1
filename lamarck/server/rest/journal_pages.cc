#include "lamarck/server/rest/internal/journal_pages.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>
#include <vector>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/organization_services.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/store/redaction.h"

namespace lamarck::server {
namespace {

constexpr std::size_t kScannedRuns = 500;  // Per page of the journal.

bool contains_text(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     same) != text.end();
}

Json listed_run(const store::Run& run, const char* title) {
  return {{"id", run.id},
          {title, store::redacted(run.title)},
          {"state", run.state},
          {"events", run.head},
          {"created", epoch_ms(run.created)},
          {"updated", epoch_ms(run.updated)}};
}

}  // namespace

Result<ThoughtService*> service_of(const RouteCall& call) {
  if (call.organizations == nullptr) {
    return Error(ErrorCode::Unsupported, "This server has no journal.");
  }
  return call.organizations->find(call.org());
}

Result<store::Run> find_run(const RouteCall& call, ThoughtService& service,
                            std::string_view kind, std::string_view name) {
  Result<store::Run> run = service.journal().run(call.id());
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (run && run->kind == kind) return run;
  return Error(ErrorCode::NotFound, "There is no " + std::string(name) +
                                        " with the id " + in_quotes(call.id()) +
                                        ".");
}

Result<Json> list_runs_of_kind(const RouteCall& call, std::string_view kind,
                               const char* title) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  const std::string wanted = get_text(call.query, "q");
  const std::size_t limit = limit_of(call, 50);
  store::RunFilter filter{.kind = std::string(kind),
                          .state = get_text(call.query, "state"),
                          .after = get_text(call.query, "cursor"),
                          .limit = kScannedRuns};
  Json items = Json::array();
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<store::Run> runs,
                     service->journal().runs(filter));
    for (const store::Run& run : runs) {
      if (!contains_text(store::redacted(run.title), wanted)) continue;
      if (items.size() == limit) {
        const Json last = items.back().at("id");
        return Json{{"items", std::move(items)}, {"next_cursor", last}};
      }
      items.push_back(listed_run(run, title));
    }
    if (runs.size() < kScannedRuns) break;
    filter.after = runs.back().id;
  }
  return Json{{"items", std::move(items)}, {"next_cursor", nullptr}};
}

std::int64_t epoch_ms(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             time.time_since_epoch())
      .count();
}

}  // namespace lamarck::server
