// Checks the options of an evolution.

#pragma once

#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

// Throws LogicError, with a sentence, if an option is not valid.
void check_options(const EvolutionOptions& options);

}  // namespace lamarck::evolution
