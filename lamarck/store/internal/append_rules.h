// Validation of appends, shared by all journals.
//
// A journal answers lookups through JournalIndex and the rules decide, so all
// implementations reject the same requests with the same messages.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lamarck/store/journal.h"

namespace lamarck::store::internal {

inline constexpr std::array<std::string_view, 4> kEdgeTypes = {
    "causes", "refines", "contradicts", "supports"};
inline constexpr std::array<std::string_view, 4> kStatuses = {
    "open", "done", "rejected", "early_stopped"};
inline constexpr std::size_t kContentCharacters = 400;
inline constexpr std::size_t kMaxParents = 65535;
inline constexpr std::uint64_t kMaxEvents = (std::uint64_t{1} << 26) - 1;

// The index of `name` in `names`, or nullopt.
std::optional<std::int64_t> index_of(
    const std::array<std::string_view, 4>& names, std::string_view name);

// Where a run is stored. Numbers are internal to the journal and positive.
struct RunPlace {
  std::int64_t number = 0;
  std::uint64_t head = 0;
  Clock::WallTime updated;  // The latest time of the run's events.
};

struct EventPlace {
  std::int64_t number = 0;
  std::int64_t run = 0;
};

// Lookups in the stored data. Pruned events are still found.
class JournalIndex {
 public:
  virtual ~JournalIndex() = default;
  virtual Result<std::optional<Answer>> find_answer(std::string_view key) = 0;
  virtual Result<std::optional<RunPlace>> find_run(std::string_view id) = 0;
  virtual Result<std::optional<EventPlace>> find_event(std::string_view id) = 0;
  // Whether the event id is taken. May return false if the insert itself will
  // detect the duplicate.
  virtual Result<bool> is_taken(std::string_view id);
};

// What a valid append has to write.
struct CheckedAppend {
  bool is_repeat = false;  // Write nothing; `answer` is the stored one.
  std::string answer;
  RunPlace run;  // Number 0: the run must be created.
  // The numbers of each event's parents. -1 - i stands for the i-th event of
  // this append, counted from 0.
  std::vector<std::vector<std::int64_t>> parents;
};

// Checks that need no lookup: lengths, names, emptiness.
Result<void> check_request(const Append& request);
// Checks the request against the stored data and resolves its parents.
Result<CheckedAppend> check_append(const Append& request, JournalIndex& index);

// The latest of `before` and the events' times.
Clock::WallTime latest_time(Clock::WallTime before,
                            const std::vector<Event>& events);

// The run that the request creates.
// REQUIRES: request.new_run.
Run make_run(const Append& request);

// `head` is the run's head; `event_id` the id of the event at the checkpoint's
// seq.
Result<void> check_checkpoint(const Checkpoint& checkpoint, std::uint64_t head,
                              std::string_view event_id);

Error run_not_found(std::string_view run);
Error event_not_found(std::string_view id);
Error event_exists(std::string_view id);
Error no_checkpoint(std::string_view run);

}  // namespace lamarck::store::internal
