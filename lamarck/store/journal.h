// An append-only journal of the events of many runs. An append is durable
// before it returns.
//
// State changes only by appending an event and applying it, so the state of a
// run after a crash is the fold over its events. Concurrency is optimistic: an
// append names the head it is based on, and is refused, with nothing written,
// if another writer was faster. The writer then reads the new events and
// retries. Any number of threads and processes may write to one run.
//
// MemoryJournal and SqliteJournal pass the same tests (journal_suite_test.cc).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"

namespace lamarck::store {

// The reply to a request with an idempotency key, stored for repeats.
struct Answer {
  std::string key;     // Unique in the journal; "" = not stored.
  std::string digest;  // Digest of the request's content.
  std::string text;    // The reply, byte for byte.

  friend bool operator==(const Answer&, const Answer&) = default;
};

// One atomic append.
struct Append {
  std::string run;
  // The head that the writer has seen. Unset: append at any head.
  std::optional<std::uint64_t> expected_head;
  std::vector<Event> events;  // Numbered from the head on.
  // Creates the run, which must not exist yet.
  std::optional<Run> new_run;
  std::optional<std::string> new_state;  // The run's new state in lists.
  Answer answer;
};

struct Appended {
  std::uint64_t head = 0;  // Head of the run after the append.
  // The key was used before with the same digest: nothing was written, and
  // `answer` is the stored reply.
  bool is_repeat = false;
  std::string answer;
};

struct RunFilter {
  std::string kind;   // "" = any.
  std::string state;  // "" = any.
  std::string after;  // The last run of the previous page; "" = start.
  std::size_t limit = 100;
};

// Sent after an append by this process is durable.
struct RunAppended {
  static constexpr std::string_view type = "run_appended";
  struct Payload {
    std::string run;
    std::vector<Event> events;  // With run and seq set.
  } payload;
};

// Thread safety: all members may be called from any thread.
class Journal {
 public:
  virtual ~Journal() = default;

  // Returns when the append is durable. Fails with
  //   Conflict           the head differs (field "head" has the current one)
  //                      or the key has another digest (field "key");
  //   NotFound           the run does not exist, or a parent is not one of its
  //                      events;
  //   AlreadyExists      the new run or an event's id already exists;
  //   InvalidArgument    content over 400 characters, an unknown edge type or
  //                      status, or neither events nor a new state;
  //   IoFailed, Unavailable   the disk failed; nothing was written.
  virtual Result<Appended> append(Append request) = 0;

  // The events after `after_seq`, ordered by seq. Fails with NotFound.
  virtual Result<std::vector<Event>> events(std::string_view run,
                                            std::uint64_t after_seq = 0,
                                            std::size_t limit = SIZE_MAX) = 0;
  virtual Result<Event> event(std::string_view id) = 0;
  // The stored reply, or nullopt.
  virtual Result<std::optional<Answer>> answer(std::string_view key) = 0;

  // Stored replies in the order of their keys, after this one. For copies.
  virtual Result<std::vector<Answer>> answers(std::string_view after_key,
                                              std::size_t limit) = 0;

  // Fails with NotFound.
  virtual Result<Run> run(std::string_view id) = 0;
  // Ordered by creation, newest first. Fails with NotFound for `filter.after`.
  virtual Result<std::vector<Run>> runs(const RunFilter& filter = {}) = 0;
  // The number of runs of this kind. Counts only the runs that are new since
  // the last call.
  virtual Result<std::uint64_t> run_count(std::string_view kind) = 0;

  // Keeps only the latest checkpoint: replaces older ones, and ignores one that
  // is older than the stored one. REQUIRES: the state is the fold up to its
  // seq.
  virtual Result<void> save_checkpoint(const Checkpoint& checkpoint) = 0;
  // Returns nullopt if there is none.
  virtual Result<std::optional<Checkpoint>> latest_checkpoint(
      std::string_view run) = 0;

  // Removes the events of a run up to its latest checkpoint, after passing each
  // of them to `keep` (for export), and returns their number. Keys and answers
  // stay. So do the ids: they can still be parents and are never reused. Fails
  // with FailedPrecondition without a checkpoint. An error of `keep` stops it
  // with nothing removed.
  virtual Result<std::uint64_t> prune(
      std::string_view run,
      const std::function<Result<void>(const Event&)>& keep) = 0;

  // The ids of the pruned events, by seq from 1 on. For copies.
  virtual Result<std::vector<std::string>> pruned_ids(std::string_view run) = 0;

  // Checks the consistency of the stored data: seqs without gaps, parents that
  // exist and are earlier, checkpoints of existing events, intact pages.
  // Returns one sentence per problem; empty = no problem.
  virtual Result<std::vector<std::string>> verify() = 0;

  virtual Remover use_profiler(Profiler<RunAppended>::Function function) = 0;
};

}  // namespace lamarck::store
