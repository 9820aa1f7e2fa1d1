// The man page lamarck(1), generated from the outline of the program.

#pragma once

#include <string>

#include "lamarck/cli/command_outline.h"

namespace lamarck::cli {

// Returns the page in roff format.
std::string manual_page(const Outline& outline);

}  // namespace lamarck::cli
