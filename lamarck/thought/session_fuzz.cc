// Fuzzes stored sessions and their events with libFuzzer (`make fuzz`).
//
// The first line is a session; if it is not valid, a new session is used. Each
// further line is an event: its type, a space, and JSON that is used both as
// its constraints and as its score.

#include "lamarck/thought/session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/string_split.h"

namespace lamarck::thought {
namespace {

store::Event make_event(std::string_view type, std::uint64_t seq,
                        std::string constraints) {
  store::Event event;
  event.id = "evt_" + std::to_string(seq);
  event.type = type;
  event.run = "sess_1";
  event.seq = seq;
  event.role = "planner";
  event.content = "x";
  event.token_cost = 3;
  event.walltime_ms = 5;
  event.score = constraints;
  event.constraints = std::move(constraints);
  return event;
}

Session begun() {
  Session session;
  const auto first = make_event(
      "session", 1,
      R"({"state":"init","success_criteria":[],)"
      R"("budgets":{"tokens":1000,"wall_time_ms":1000,"branches":3}})");
  ENSURE(apply(session, first).has_value(), "a session can start");
  return session;
}

void expect_round_trip(const Session& session) {
  const Json json = to_json(session);
  const auto again = session_from_json(json);
  ENSURE(again.has_value(), "a written session can be read");
  ENSURE(dump_json(to_json(*again)) == dump_json(json),
         "reading and writing is lossless");
}

Session stored_or_begun(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return begun();
  auto session = session_from_json(*json);
  if (!session) return begun();
  return *std::move(session);
}

// Applies the event to a copy, since a rejected event leaves the session
// half-updated.
void follow(Session& session, std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  Session next = session;
  if (!apply(next, make_event(line.substr(0, space), session.head + 1,
                              std::string(line.substr(space))))) {
    return;
  }
  session = std::move(next);
}

void try_text(std::string_view text) {
  const auto lines = split_text(text, '\n');
  Session session = stored_or_begun(lines[0]);
  for (std::size_t i = 1; i < lines.size(); ++i) follow(session, lines[i]);
  expect_round_trip(session);
}

}  // namespace
}  // namespace lamarck::thought

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  lamarck::thought::try_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
