// The reports of `lamarck ops` as text and Markdown.

#pragma once

#include <string>

#include "lamarck/base/json.h"

namespace lamarck::cli {

// Formats the result of operation_report: all details of one operation.
std::string operation_text(const Json& operation);

// Formats the result of operations_report: one line per operation, by group,
// and the activations.
std::string operations_text(const Json& report);

// Formats the result of operations_report as the page docs/operations.md.
std::string operations_markdown(const Json& report);

}  // namespace lamarck::cli
