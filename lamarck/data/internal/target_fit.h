// The target of an encoding, learned from its column.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table_encoding.h"

namespace lamarck::data {

// Says in `remarks` what a person should know about the target.
Result<TargetColumn> fit_target(const Column& column, TargetKind kind,
                                std::vector<std::string>& remarks);

}  // namespace lamarck::data
