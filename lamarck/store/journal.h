// The journal: append-only events of many runs, durable before it answers.
//
// State changes only by appending an event and applying it, so the state of a
// run after a crash is the fold over its events. Writers decide on what they
// have seen: an append names the head it was decided on, and is refused, with
// nothing written, if somebody else was faster; then one reads what is new,
// decides again and tries again. So any number of threads and processes may
// write to one run.
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

// What was answered to a request that carried a key, kept for its repetition.
struct Answer {
  std::string key;     // Unique in the whole journal; "" = not kept.
  std::string digest;  // Of the request's content.
  std::string text;    // The answer, byte for byte.

  friend bool operator==(const Answer&, const Answer&) = default;
};

// All of it happens, or none.
struct Append {
  std::string run;
  // The head it was decided on. Nothing: append wherever the run is now.
  std::optional<std::uint64_t> expected_head;
  std::vector<Event> events;  // Their seqs follow the head.
  // For a run that is not there yet (head 0); it must then not exist.
  std::optional<Run> new_run;
  std::optional<std::string> new_state;  // Becomes the run's state in lists.
  Answer answer;
};

struct Appended {
  std::uint64_t head = 0;  // Of the run, after it.
  // The key had been used before, with the same digest: nothing was written,
  // and `answer` is what was answered then.
  bool is_repeat = false;
  std::string answer;
};

struct RunFilter {
  std::string kind;   // "" = any.
  std::string state;  // Likewise.
  std::string after;  // The last run of the page before; "" = from the newest.
  std::size_t limit = 100;
};

// Sent after an append of this process is durable.
struct RunAppended {
  static constexpr std::string_view type = "run_appended";
  struct Payload {
    std::string run;
    std::vector<Event> events;  // With run and seq.
  } payload;
};

// Thread safety: any member from any thread.
class Journal {
 public:
  virtual ~Journal() = default;

  // Returns when it is durable. Fails with
  //   Conflict           the head is another one (field "head" tells it), or
  //                      the key was used with another digest (field "key");
  //   NotFound           no such run, or a parent that is not an event of it;
  //   AlreadyExists      new_run or an event's id is there already;
  //   InvalidArgument    content over 400 characters, an unknown edge type or
  //                      status, no events and no new state;
  //   IoFailed, Unavailable   the disk refused; nothing was written.
  virtual Result<Appended> append(Append request) = 0;

  // In the order of seq. NotFound names the run.
  virtual Result<std::vector<Event>> events(std::string_view run,
                                            std::uint64_t after_seq = 0,
                                            std::size_t limit = SIZE_MAX) = 0;
  virtual Result<Event> event(std::string_view id) = 0;
  virtual Result<std::optional<Answer>> answer(std::string_view key) = 0;

  // NotFound names the run.
  virtual Result<Run> run(std::string_view id) = 0;
  // Newest first: the one that was made last. NotFound names `filter.after`.
  virtual Result<std::vector<Run>> runs(const RunFilter& filter = {}) = 0;

  // REQUIRES of the state: it is the fold up to `checkpoint.seq`. The latest
  // replaces those before it; one before the latest is not kept.
  virtual Result<void> save_checkpoint(const Checkpoint& checkpoint) = 0;
  // The latest; nothing if there is none.
  virtual Result<std::optional<Checkpoint>> latest_checkpoint(
      std::string_view run) = 0;

  // Removes the events of a run up to its latest checkpoint, after `keep` has
  // been given each of them (to export it). Keys and answers stay; ids too:
  // they can still be parents, and are never free again. Returns how many.
  // FailedPrecondition without a checkpoint. An error of `keep` stops it with
  // nothing removed.
  virtual Result<std::uint64_t> prune(
      std::string_view run,
      const std::function<Result<void>(const Event&)>& keep) = 0;

  // Looks whether everything stored hangs together: seqs without gaps, parents
  // that exist and came before, checkpoints of existing events, pages that are
  // whole. Each entry is a sentence; empty = all is well.
  virtual Result<std::vector<std::string>> verify() = 0;

  virtual Remover use_profiler(Profiler<RunAppended>::Function function) = 0;
};

}  // namespace lamarck::store
