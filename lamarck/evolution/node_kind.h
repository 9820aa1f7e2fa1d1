// The names of roles and cells, as in files and in figures.

#pragma once

#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

std::string_view name_of(Role role);
std::string_view name_of(Cell cell);
// Return an Error of code InvalidArgument for an unknown name.
Result<Role> parse_role(std::string_view name);
Result<Cell> parse_cell(std::string_view name);

}  // namespace lamarck::evolution
