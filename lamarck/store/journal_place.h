// Where a journal is: in a file, in a PostgreSQL database, or in memory.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::store {

struct JournalPlace {
  std::string place;  // A file or a postgresql:// URL; "" = in memory.
  // False: a power cut, or a crash of the server, may lose recent appends.
  bool durable = true;
};

// Creates the journal if it does not exist.
Result<std::unique_ptr<Journal>> open_journal_at(const JournalPlace& place);

// A relative file name as an absolute one; URLs and "" stay.
std::string absolute_place(const std::string& place);

// The place for people: a URL without its password.
std::string shown_place(std::string_view place);

}  // namespace lamarck::store
