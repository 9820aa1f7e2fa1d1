// Bytes as a stored session and as the constraints of an event that is applied
// to one. For libFuzzer: clang++ -std=c++20 -fsanitize=fuzzer,address and the
// library.

#include "lamarck/thought/session.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"

namespace lamarck::thought {
namespace {

constexpr std::array<std::string_view, 9> kTypes = {
    "session",  "plan_step",  "critique", "branch",  "merge",
    "validate", "checkpoint", "evidence", "parallel"};

store::Event event_of(std::string_view type, std::uint64_t seq,
                      std::string constraints) {
  store::Event event;
  event.id = "evt_" + std::to_string(seq);
  event.type = type;
  event.run = "sess_1";
  event.seq = seq;
  event.role = "planner";
  event.content = "x";
  event.constraints = std::move(constraints);
  return event;
}

Session begun() {
  Session session;
  session.id = "sess_1";
  const auto first = event_of(
      "session", 1,
      R"({"state":"init","success_criteria":[],)"
      R"("budgets":{"tokens":1000,"wall_time_ms":1000,"branches":3}})");
  (void)apply(session, first).has_value();
  return session;
}

void try_text(std::string_view text) {
  if (const auto json = parse_json(text)) {
    if (const auto session = session_from_json(*json)) {
      const auto again = session_from_json(to_json(*session));
      ENSURE(again.has_value(), "what was read can be written and read");
    }
  }
  for (const std::string_view type : kTypes) {
    Session session = begun();
    (void)apply(session, event_of(type, session.head + 1, std::string(text)))
        .has_value();
  }
}

}  // namespace
}  // namespace lamarck::thought

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  lamarck::thought::try_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
