// Sessions of thought as text and JSON for the command line.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::cli {

std::string session_list_text(const std::vector<store::Run>& runs);
Json session_list_json(const std::vector<store::Run>& runs);

// State, budgets, branches and the last events.
std::string session_text(const thought::Session& session,
                         const std::vector<store::Event>& last);

// One line: seq, time, type, branch or role, content; private ones hidden.
std::string event_line(const store::Event& event);
// All columns; without `with_private` secrets and private steps are hidden.
Json event_json(const store::Event& event, bool with_private);

}  // namespace lamarck::cli
