// The reports of `lamarck ops` for people.

#pragma once

#include <string>

#include "lamarck/base/json.h"

namespace lamarck::cli {

// Of operation_report: everything known about one.
std::string operation_text(const Json& operation);

// Of operations_report: a line for each, by group, and the activations.
std::string operations_text(const Json& report);

// Likewise, as the page docs/operations.md.
std::string operations_markdown(const Json& report);

}  // namespace lamarck::cli
