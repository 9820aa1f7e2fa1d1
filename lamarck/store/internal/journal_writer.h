// Writes to a journal file, one transaction at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/known_places.h"
#include "lamarck/store/internal/log_preallocation.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {

// Thread safety: one thread at a time. A refused request has written nothing,
// so the transaction may continue; after a storage failure it must end.
class JournalWriter : private JournalIndex {
 public:
  JournalWriter(std::unique_ptr<SqliteConnection> connection, bool is_durable)
      : connection_(std::move(connection)),
        log_room_(*connection_, kFramesToCheckpoint),
        is_durable_(is_durable) {}

  // Runs `body` in a transaction: all of its changes happen or none. They are
  // durable once this returns without an error.
  Result<void> in_transaction(const std::function<Result<void>()>& body);

  // REQUIRES, for the rest: called in a transaction.
  // REQUIRES: `request` has passed check_request.
  Result<Appended> append(const Append& request);
  // Replaces older checkpoints; ignores one older than the stored one.
  Result<void> save_checkpoint(const Checkpoint& checkpoint);
  // Removes the events up to `last_seq` and returns their number.
  Result<std::uint64_t> prune(std::string_view run, std::uint64_t last_seq);

 private:
  // Rolls back on destruction unless committed.
  struct RollbackUnlessCommitted {
    JournalWriter& writer;
    bool is_committed = false;
    ~RollbackUnlessCommitted();
  };

  Result<std::optional<Answer>> find_answer(std::string_view key) override;
  Result<std::optional<RunPlace>> find_run(std::string_view id) override;
  Result<std::optional<EventPlace>> find_event(std::string_view id) override;
  Result<bool> is_taken(std::string_view id) override;

  // Whether the insert of the event itself can detect a taken id. True for a
  // single event that is the first row written.
  bool insert_decides(const Append& request) const;
  Error insert_error(const Event& event);
  Result<CheckedAppend> check(const Append& request);
  // Drops the cached data if another connection has committed since.
  Result<void> refresh_cache();
  Result<std::int64_t> write_run(const Append& request, const RunPlace& place);
  Result<std::int64_t> write_new_run(const Append& request);
  // Updates the rows of runs whose state or time does not follow from the
  // events.
  Result<void> write_changed_runs();
  Result<std::int64_t> write_answer(const Append& request);
  void remember_pattern(const std::string& type, std::int64_t number,
                        const std::string& answer);
  Result<void> write_event(const Event& event, std::int64_t number,
                           std::int64_t answer);
  // `first` is the number of the append's first event.
  Result<void> write_edges(const Event& event, std::int64_t number,
                           const std::vector<std::int64_t>& parents,
                           std::int64_t first);
  Result<void> write_events(const Append& request, const CheckedAppend& checked,
                            std::int64_t run, std::int64_t answer);

  // A larger log needs fewer checkpoints, but an append waits for each of them.
  static constexpr int kFramesToCheckpoint = 4000;

  const std::unique_ptr<SqliteConnection> connection_;
  LogPreallocation log_room_;
  const bool is_durable_;
  std::int64_t last_edge_ = 0;
  // The version of the file for which the cached members are valid.
  std::int64_t version_ = -1;
  KnownPlaces known_;
  bool has_pruned_ = false;
  // For the current append: the insert detects a taken id, which saves a
  // lookup.
  bool insert_decides_ = false;

  // The last answer stored in full, by type of the first event. Cleared when a
  // transaction fails, because the answer may have been rolled back.
  struct Pattern {
    std::int64_t number = 0;
    std::string text;
  };
  std::map<std::string, Pattern, std::less<>> patterns_;
};

}  // namespace lamarck::store::internal
