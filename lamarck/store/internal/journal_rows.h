// Reads the rows of a journal file as events, runs, answers and checkpoints.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/compact_bytes.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {

std::int64_t to_micros(Clock::WallTime time);
Clock::WallTime from_micros(std::int64_t micros);

// An event's number combines the number of its run and its seq, so the events
// of a run are adjacent in the table.
inline constexpr int kSeqBits = 26;
std::int64_t event_number(std::int64_t run, std::uint64_t seq);
std::int64_t run_of_event(std::int64_t number);

// The hash by which a key is looked up; several keys may share it.
std::int64_t key_hash(std::string_view key);

// An event id in its stored form. `id` must outlive the object.
class StoredId {
 public:
  explicit StoredId(std::string_view id);
  void bind(Query& query) const;

 private:
  std::string_view text_;  // Used if the id cannot be packed.
  std::optional<PackedEventId> packed_;
};
// Reads a stored event id back.
std::string event_id_at(const Query& query, int column);

// These return nullopt if the record does not exist.
Result<std::optional<Answer>> read_answer(SqliteConnection& connection,
                                          std::string_view key);
// In the order of their keys. Reads all keys, so it is for copies only.
Result<std::vector<Answer>> read_answers(SqliteConnection& connection,
                                         std::string_view after_key,
                                         std::size_t limit);
Result<std::vector<std::string>> read_pruned_ids(SqliteConnection& connection,
                                                 std::int64_t run);
Result<std::optional<RunPlace>> read_run_place(SqliteConnection& connection,
                                               std::string_view id);
Result<std::optional<Run>> read_run(SqliteConnection& connection,
                                    std::string_view id);
Result<std::vector<Run>> read_runs(SqliteConnection& connection,
                                   const RunFilter& filter);
// Runs are never removed, and their numbers increase.
struct RunCount {
  std::int64_t last_number = 0;  // Counted up to this run.
  std::uint64_t count = 0;
};
// Adds the runs of this kind that are not counted yet.
Result<RunCount> count_new_runs(SqliteConnection& connection,
                                std::string_view kind, RunCount counted);

// Also finds pruned events if `with_pruned`.
Result<std::optional<EventPlace>> read_event_place(SqliteConnection& connection,
                                                   std::string_view id,
                                                   bool with_pruned);
Result<std::optional<Event>> read_event(SqliteConnection& connection,
                                        std::string_view id);
Result<std::vector<Event>> read_events(SqliteConnection& connection,
                                       std::string_view run,
                                       std::uint64_t after_seq,
                                       std::size_t limit);

Result<std::optional<Checkpoint>> read_checkpoint(SqliteConnection& connection,
                                                  std::string_view run);

}  // namespace lamarck::store::internal
