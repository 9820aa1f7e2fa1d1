// The graph operations as JSON, for `lamarck ops`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/graph/operation.h"

namespace lamarck::cli {

// Returns all details of one operation.
Json operation_report(const Operation& operation);
// Returns InvalidArgument with the nearest name if `name` is unknown.
Result<Json> operation_report_named(std::string_view name);

// Returns {"operations": [...], "activations": [names]}.
Json operations_report();

// Returns the operators that an expression of onnx_expression.h calls, each
// once, from left to right.
std::vector<std::string> onnx_operators(std::string_view expression);

}  // namespace lamarck::cli
