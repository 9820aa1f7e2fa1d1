// Paths in plans: where something may be written.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::thought::internal {

// What is wrong with a path that should stay inside the project, and the
// remedy, in a sentence; nothing if it does, also with its "%2e" decoded.
// Nothing is looked up on the disk.
std::optional<std::string> path_problem(std::string_view path);

}  // namespace lamarck::thought::internal
