// The reading half of a journal in a SQLite file.

#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/store/internal/journal_rows.h"
#include "lamarck/store/internal/reader_pool.h"
#include "lamarck/store/journal.h"

namespace lamarck::store::internal {

// Thread safety: all members may be called from any thread.
class ReadingJournal : public Journal {
 public:
  // `open` opens a connection for reading.
  ReadingJournal(const std::string& path, ReaderPool::Open open)
      : readers_(path, std::move(open)) {}

  Result<std::vector<Event>> events(std::string_view run,
                                    std::uint64_t after_seq,
                                    std::size_t limit) override;
  Result<Event> event(std::string_view id) override;
  Result<std::optional<Answer>> answer(std::string_view key) override;
  Result<std::vector<Answer>> answers(std::string_view after_key,
                                      std::size_t limit) override;
  Result<Run> run(std::string_view id) override;
  Result<std::vector<Run>> runs(const RunFilter& filter) override;
  Result<std::uint64_t> run_count(std::string_view kind) override;
  Result<std::optional<Checkpoint>> latest_checkpoint(
      std::string_view run) override;
  Result<std::vector<std::string>> pruned_ids(std::string_view run) override;
  Result<std::vector<std::string>> verify() override;

 private:
  ReaderPool readers_;
  std::mutex count_mutex_;
  std::map<std::string, RunCount, std::less<>> counts_;  // By kind.
};

}  // namespace lamarck::store::internal
