// Checks the paths that plans want to write to.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::thought::internal {

// Returns a sentence with the problem and the remedy if the path may leave the
// project, also after percent-decoding; otherwise nullopt. Does not access the
// disk.
std::optional<std::string> path_problem(std::string_view path);

}  // namespace lamarck::thought::internal
