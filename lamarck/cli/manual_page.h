// The man page lamarck(1).

#pragma once

#include <string>

#include "lamarck/cli/command_outline.h"

namespace lamarck::cli {

std::string manual_page(const Outline& outline);

}  // namespace lamarck::cli
