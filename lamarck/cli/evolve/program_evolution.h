// `lamarck evolve program`: from a folder with a program and what it is worth
// to a better program.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

// Nothing is written before all that was given is known to be usable.
Result<void> evolve_program(const SearchFlags& flags, CommandContext& context);

}  // namespace lamarck::cli
