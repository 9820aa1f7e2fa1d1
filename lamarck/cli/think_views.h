// Reasoning sessions as text and JSON for the command line.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::cli {

// One session per line or object, and where the next page begins if it
// `has_more`. Secrets in goals are redacted.
std::string session_list_text(const std::vector<store::Run>& runs,
                              bool has_more);
Json session_list_json(const std::vector<store::Run>& runs, bool has_more);

// Shows state, budgets, branches and their scores, alerts, `metrics` with the
// evidence chain, and the last events. This and the functions below hide
// secrets and private content unless `with_private`.
std::string session_text(const thought::Session& session, const Json& metrics,
                         const std::vector<store::Event>& last,
                         bool with_private);

// One picture of a session at work: its state, the budgets as bars, the
// branches, and the last events.
std::string watch_text(const thought::Session& session,
                       const std::vector<store::Event>& last,
                       bool with_private);

// The rates of healing strategies and the outcomes of plans, from
// ThoughtEngine::history().
std::string healing_text(const Json& history);

// Says where pruned events are; "" if there are none.
std::string pruned_text(const thought::Session& session);

// Shows sequence number, time, type, role and content on one line.
std::string event_line(const store::Event& event, bool with_private);
// Contains all columns.
Json event_json(const store::Event& event, bool with_private);

}  // namespace lamarck::cli
