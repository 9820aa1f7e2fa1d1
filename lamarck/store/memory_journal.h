// A journal that forgets everything at its end: for tests, and as the model
// that the durable ones are compared with.

#pragma once

#include <memory>

#include "lamarck/store/journal.h"

namespace lamarck::store {

std::unique_ptr<Journal> make_memory_journal();

}  // namespace lamarck::store
