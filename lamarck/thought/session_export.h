// Exports a session as a picture or as data.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought {

struct ExportOptions {
  bool with_private = false;  // False: private steps show "[private]".
};

// All formats redact secrets. Linear in the number of events.
std::string to_mermaid(const Session& session,
                       const std::vector<store::Event>& events,
                       const ExportOptions& options = {});
std::string to_dot(const Session& session,
                   const std::vector<store::Event>& events,
                   const ExportOptions& options = {});
std::string to_svg(const Session& session,
                   const std::vector<store::Event>& events,
                   const ExportOptions& options = {});
// {"session": ..., "events": [...], "edges": [...]}.
std::string to_json_text(const Session& session,
                         const std::vector<store::Event>& events,
                         const ExportOptions& options = {});

// All columns of one event, as in to_json_text().
Json event_to_json(const store::Event& event,
                   const ExportOptions& options = {});

// The state of a branch for a reader: "merged" for one that was merged, and
// "completed" for one that was open when its session completed.
std::string shown_branch_state(const Branch& branch);

// "Token Budget: [████████░░] 4200/5000".
std::string audit_bar(const Session& session);
// A box of four lines: the bar, the tokens of the branch that the next step is
// about, those of all branches, and how many the session will need if its open
// branches cost as much as finished ones.
std::string audit_box(const Session& session);

}  // namespace lamarck::thought
