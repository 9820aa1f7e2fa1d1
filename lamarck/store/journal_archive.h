// Copies whole journals between files and databases: every run with its events,
// its checkpoint, the ids of its pruned events, and all stored replies.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::store {

struct JournalCounts {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t answers = 0;

  friend bool operator==(const JournalCounts&, const JournalCounts&) = default;
};

// Passes each record to `write`, runs in the order of their creation and each
// before its events. An error of `write` ends it.
Result<JournalCounts> export_journal(
    Journal& journal, const std::function<Result<void>(const Json&)>& write);

// Adds exported records to a journal, in their order. Records that it already
// has are skipped, so an interrupted import can be repeated.
class JournalImport {
 public:
  explicit JournalImport(Journal& journal) : journal_(journal) {}

  // Fails with DataDamaged for a record that export_journal did not write.
  Result<void> add(const Json& record);
  // Writes what is still held back. REQUIRES: called once, after all records.
  Result<JournalCounts> finish();

 private:
  Result<void> add_record(const Json& record);
  Result<void> add_run(const Json& record);
  Result<void> add_checkpoint(const Json& record);
  Result<void> add_answer(const Json& record);
  Result<void> flush();

  Journal& journal_;
  JournalCounts counts_;
  // Of the current run.
  std::string run_;
  std::string state_;
  Clock::WallTime created_{};
  std::string last_pruned_;
  std::uint64_t known_ = 0;     // Events that the journal had.
  std::uint64_t seq_ = 0;       // Of the last record.
  std::vector<Event> waiting_;  // Not written yet.
};

// SHA-256 of all records: equal for journals with the same content.
Result<std::string> journal_digest(Journal& journal);

}  // namespace lamarck::store
