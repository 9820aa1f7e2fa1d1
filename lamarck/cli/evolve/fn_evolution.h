// `lamarck evolve fn`: from a CSV file to laws, and a page about them.

#pragma once

#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

// Nothing is written before all that was given is known to be usable.
Result<void> evolve_fn(const SearchFlags& flags, CommandContext& context);

}  // namespace lamarck::cli
