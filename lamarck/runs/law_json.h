// Laws of a stored front as JSON: typeset, and as code to copy.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/runs/run_summary.h"

namespace lamarck::runs {

// Adds "target", "front", "islands" and "lineage" of an event "front".
void add_laws(const Json& front, const RunSummary& summary, Json& view);

// A tree for pages: {"tag": "mrow", "children": [...]} or {"tag": "mi", "text":
// "x"}. Null if the markup is not well-formed. Handles what to_mathml writes.
Json markup_tree(std::string_view markup);

}  // namespace lamarck::runs
