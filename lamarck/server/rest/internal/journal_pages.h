// Reading runs of one kind from the journal of the caller's organization.

#pragma once

#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/server/rest/route_table.h"
#include "lamarck/server/thought_service.h"
#include "lamarck/store/event.h"

namespace lamarck::server {

// The service of the caller's organization.
Result<ThoughtService*> service_of(const RouteCall& call);

// The run with the id of the path. NotFound unless it is of this kind; `name`
// is the word for it, such as "session".
Result<store::Run> find_run(const RouteCall& call, ThoughtService& service,
                            std::string_view kind, std::string_view name);

// One page of runs of a kind, newest first: {"items": [...], "next_cursor"}.
// The query may have q, state, cursor and limit; `title` names the field of the
// run's title.
Result<Json> list_runs_of_kind(const RouteCall& call, std::string_view kind,
                               const char* title);

// Milliseconds since 1970.
std::int64_t epoch_ms(Clock::WallTime time);

// The query of such a list.
inline constexpr std::string_view kRunListQuery =
    R"({"type": "object", "additionalProperties": false, "properties": {
      "q": {"type": "string", "maxLength": 200,
        "description": "Only those whose title contains this text."},
      "state": {"type": "string", "maxLength": 40,
        "description": "Only those in this state."},
      "cursor": {"type": "string", "maxLength": 200,
        "description": "next_cursor of the previous page."},
      "limit": {"type": "integer", "minimum": 1, "maximum": 1000,
        "default": 50}}})";

}  // namespace lamarck::server
