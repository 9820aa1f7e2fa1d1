// A journal in memory, for tests and as the reference model for the durable
// implementations.

#pragma once

#include <memory>

#include "lamarck/store/journal.h"

namespace lamarck::store {

std::unique_ptr<Journal> make_memory_journal();

}  // namespace lamarck::store
