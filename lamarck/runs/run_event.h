// The events of a run, as the journal stores them and the HTTP interface shows
// them. docs/runs.md lists the types.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/store/event.h"

namespace lamarck::runs {

// The kinds of runs that evolve something. Thought sessions and agent tasks are
// runs too; their events have their own forms.
inline constexpr std::array<std::string_view, 4> kEvolvingKinds = {
    "net", "neat", "fn", "program"};
inline constexpr std::array<std::string_view, 6> kRunKinds = {
    "net", "neat", "fn", "program", "thought", "agent"};

bool is_run_kind(std::string_view kind);
bool is_evolving_kind(std::string_view kind);

struct RunEvent {
  std::string type;  // "progress".
  Json payload = Json::object();
};

// The event for the journal; the payload becomes its `constraints`.
store::Event make_event(const RunEvent& event, std::string id,
                        Clock::WallTime time);

// {} if the stored payload is not an object.
Json event_payload(const store::Event& event);

// {"seq", "at", "type", ...payload}. `at` is in milliseconds since 1970.
Json event_json(const store::Event& event);

std::int64_t milliseconds_since_1970(Clock::WallTime time);

}  // namespace lamarck::runs
