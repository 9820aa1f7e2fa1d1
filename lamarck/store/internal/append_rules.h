// What every journal refuses, and in which words.
//
// A journal tells what it knows through JournalIndex; the rules decide, so that
// all implementations refuse the same things with the same sentences.

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
inline constexpr std::size_t kMostParents = 65535;
inline constexpr std::uint64_t kMostEvents = (std::uint64_t{1} << 26) - 1;

// The index of `name` in one of the lists; nothing if it is not there.
std::optional<std::int64_t> index_of(
    const std::array<std::string_view, 4>& names, std::string_view name);

// Numbers are the journal's own, greater than 0.
struct RunPlace {
  std::int64_t number = 0;
  std::uint64_t head = 0;
  Clock::WallTime updated;  // The latest time of its events.
};

struct EventPlace {
  std::int64_t number = 0;
  std::int64_t run = 0;
};

// What is stored at the moment. Pruned events keep their places.
class JournalIndex {
 public:
  virtual ~JournalIndex() = default;
  virtual Result<std::optional<Answer>> find_answer(std::string_view key) = 0;
  virtual Result<std::optional<RunPlace>> find_run(std::string_view id) = 0;
  virtual Result<std::optional<EventPlace>> find_event(std::string_view id) = 0;
  // Whether a new event cannot have the id. False also where that will turn out
  // when it is written.
  virtual Result<bool> is_taken(std::string_view id);
};

// What an append that is allowed has to write.
struct AppendPlan {
  bool is_repeat = false;  // Then nothing; `answer` is the one of old.
  std::string answer;
  RunPlace run;  // Number 0: it is to be made.
  // For each event the numbers of its parents. The i-th event of the append
  // itself, from 0, is -1 - i.
  std::vector<std::vector<std::int64_t>> parents;
};

// What can be said without looking: lengths, names, emptiness.
Result<void> check_request(const Append& request);
Result<AppendPlan> plan_append(const Append& request, JournalIndex& index);

// When the run was touched last: the latest of `before` and the events' times.
Clock::WallTime latest_time(Clock::WallTime before,
                            const std::vector<Event>& events);

// The run that new_run and the rest of the request make.
// REQUIRES: request.new_run.
Run made_run(const Append& request);

// Of a checkpoint: `head` is the run's; `event_id` is what stands at its seq.
Result<void> check_checkpoint(const Checkpoint& checkpoint, std::uint64_t head,
                              std::string_view event_id);

Error run_not_found(std::string_view run);
Error event_not_found(std::string_view id);
Error event_exists(std::string_view id);
Error no_checkpoint(std::string_view run);

}  // namespace lamarck::store::internal
