// Fits the target of an encoding to its column.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table_encoding.h"

namespace lamarck::data {

// Appends to `remarks` what a user should know about the target: skipped rows,
// how integers were treated, rare and dominant classes. Fails, naming the
// column, for a target that cannot be predicted.
Result<TargetColumn> fit_target(const Column& column, TargetKind kind,
                                std::vector<std::string>& remarks);

}  // namespace lamarck::data
