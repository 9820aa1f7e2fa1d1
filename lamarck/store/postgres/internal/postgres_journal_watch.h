// Detects what other processes append to a journal in PostgreSQL.

#pragma once

#include <memory>
#include <string>

#include "lamarck/store/journal_watch.h"

namespace lamarck::store::internal {

Result<std::unique_ptr<JournalWatch>> open_postgres_watch(
    const std::string& url);

}  // namespace lamarck::store::internal
