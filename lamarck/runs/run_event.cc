#include "lamarck/runs/run_event.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lamarck::runs {

bool is_run_kind(std::string_view kind) {
  return std::ranges::find(kRunKinds, kind) != kRunKinds.end();
}

bool is_evolving_kind(std::string_view kind) {
  return std::ranges::find(kEvolvingKinds, kind) != kEvolvingKinds.end();
}

store::Event make_event(const RunEvent& event, std::string id,
                        Clock::WallTime time) {
  store::Event stored;
  stored.id = std::move(id);
  stored.type = event.type;
  if (!event.payload.empty()) stored.constraints = dump_json(event.payload);
  stored.ts = time;
  return stored;
}

Json event_payload(const store::Event& event) {
  if (event.constraints.empty()) return Json::object();
  Result<Json> parsed = parse_json(event.constraints);
  return parsed && parsed->is_object() ? *std::move(parsed) : Json::object();
}

std::int64_t milliseconds_since_1970(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             time.time_since_epoch())
      .count();
}

Json event_json(const store::Event& event) {
  Json json = event_payload(event);
  if (!event.content.empty()) json["content"] = event.content;
  if (!event.role.empty()) json["role"] = event.role;
  json["seq"] = event.seq;
  json["at"] = milliseconds_since_1970(event.ts);
  json["type"] = event.type;
  return json;
}

}  // namespace lamarck::runs
