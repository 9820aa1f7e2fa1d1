// What the graph can compute, for `lamarck ops`: the one list of operations as
// data.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/graph/operation.h"

namespace lamarck::cli {

// Everything known about one operation.
Json operation_report(const Operation& operation);
// Unknown names are InvalidArgument, with the nearest one.
Result<Json> operation_report_named(std::string_view name);

// {"operations": [...], "activations": [names]}; evolution may choose the
// activations.
Json operations_report();

// The operators that an expression of onnx_expression.h calls, each once, from
// left to right.
std::vector<std::string> onnx_operators(std::string_view expression);

}  // namespace lamarck::cli
