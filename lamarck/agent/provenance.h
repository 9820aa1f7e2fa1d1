// Where the values of arguments may come from. A small model that invents
// values does more harm than one that stops.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::agent {

// Fails with InvalidArgument, naming the value, if a string or a number in
// `arguments` occurs neither in one of the texts (in any letter case) nor as a
// constant (`enum`, `const`, `default`) of the schema. Booleans and null need
// no source.
Result<void> check_provenance(const Json& arguments, const Json& schema,
                              const std::vector<std::string>& texts);

}  // namespace lamarck::agent
