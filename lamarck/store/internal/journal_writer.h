// What is written to a journal's file, one transaction after the other.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/known_places.h"
#include "lamarck/store/internal/log_room.h"
#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

// Thread safety: one thread at a time. A request that is refused has written
// nothing, so the transaction may go on; after a world failure it must end.
class JournalWriter : private JournalIndex {
 public:
  JournalWriter(std::unique_ptr<SqliteConnection> connection, bool is_durable)
      : connection_(std::move(connection)),
        log_room_(*connection_, kFramesToCheckpoint),
        is_durable_(is_durable) {}

  // All that `body` does happens, or nothing. When it returns without error, it
  // is on the disk.
  Result<void> in_transaction(const std::function<Result<void>()>& body);

  // REQUIRES of the rest: called in a transaction.
  // `request` has passed check_request.
  Result<Appended> append(const Append& request);
  // A checkpoint takes the place of the older ones; an older one is not kept.
  Result<void> save_checkpoint(const Checkpoint& checkpoint);
  // Removes the events up to `last_seq`; returns how many.
  Result<std::uint64_t> prune(std::string_view run, std::uint64_t last_seq);

 private:
  // Rolls back at its end what was not committed.
  struct UnlessCommitted {
    JournalWriter& writer;
    bool is_committed = false;
    ~UnlessCommitted();
  };

  Result<std::optional<Answer>> find_answer(std::string_view key) override;
  Result<std::optional<RunPlace>> find_run(std::string_view id) override;
  Result<std::optional<EventPlace>> find_event(std::string_view id) override;
  Result<bool> is_taken(std::string_view id) override;

  // An append that writes one row first, and all else after it.
  bool insert_decides(const Append& request) const;
  Error insert_error(const Event& event);
  Result<AppendPlan> planned(const Append& request);
  // Forgets what others may have changed since the last transaction.
  Result<void> look_around();
  Result<std::int64_t> write_run(const Append& request, const RunPlace& place);
  Result<std::int64_t> write_new_run(const Append& request);
  // The rows of runs, once for each, where the events do not tell enough.
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
  Result<void> write_events(const Append& request, const AppendPlan& plan,
                            std::int64_t run, std::int64_t answer);

  // Checkpoints of a larger log are rarer, and a single append waits for each.
  static constexpr int kFramesToCheckpoint = 4000;

  const std::unique_ptr<SqliteConnection> connection_;
  LogRoom log_room_;
  const bool is_durable_;
  std::int64_t last_edge_ = 0;
  // All known by this connection holds for this version of the file.
  std::int64_t version_ = -1;
  KnownPlaces known_;
  bool has_pruned_ = false;
  // The append under way: its insert tells whether its id is taken, so nobody
  // has to look before.
  bool insert_decides_ = false;

  // The answer that was written in full last, for each type of first event. It
  // is forgotten when a transaction fails, as it may be gone then.
  struct Pattern {
    std::int64_t number = 0;
    std::string text;
  };
  std::map<std::string, Pattern, std::less<>> patterns_;
};

}  // namespace lamarck::store::internal
