#include "lamarck/store/internal/reading_journal.h"

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/journal_check.h"

namespace lamarck::store::internal {

Result<std::vector<Event>> ReadingJournal::events(std::string_view run,
                                                  std::uint64_t after_seq,
                                                  std::size_t limit) {
  return readers_.read(
      [&](SqliteConnection& file) -> Result<std::vector<Event>> {
        ASSIGN_OR_RETURN(const auto place, read_run_place(file, run));
        if (!place) return run_not_found(run);
        return read_events(file, run, after_seq, limit);
      });
}

Result<Event> ReadingJournal::event(std::string_view id) {
  return readers_.read([&](SqliteConnection& file) -> Result<Event> {
    ASSIGN_OR_RETURN(auto event, read_event(file, id));
    if (!event) return event_not_found(id);
    return *std::move(event);
  });
}

Result<std::optional<Answer>> ReadingJournal::answer(std::string_view key) {
  return readers_.read(
      [&](SqliteConnection& file) { return read_answer(file, key); });
}

Result<std::vector<Answer>> ReadingJournal::answers(std::string_view after_key,
                                                    std::size_t limit) {
  return readers_.read([&](SqliteConnection& file) {
    return read_answers(file, after_key, limit);
  });
}

Result<Run> ReadingJournal::run(std::string_view id) {
  return readers_.read([&](SqliteConnection& file) -> Result<Run> {
    ASSIGN_OR_RETURN(auto run, read_run(file, id));
    if (!run) return run_not_found(id);
    return *std::move(run);
  });
}

Result<std::vector<Run>> ReadingJournal::runs(const RunFilter& filter) {
  return readers_.read(
      [&](SqliteConnection& file) { return read_runs(file, filter); });
}

Result<std::uint64_t> ReadingJournal::run_count(std::string_view kind) {
  const std::lock_guard lock(count_mutex_);
  const auto known = counts_.find(kind);
  const RunCount counted = known == counts_.end() ? RunCount{} : known->second;
  ASSIGN_OR_RETURN(const RunCount now,
                   readers_.read([&](SqliteConnection& file) {
                     return count_new_runs(file, kind, counted);
                   }));
  counts_.insert_or_assign(std::string(kind), now);
  return now.count;
}

Result<std::optional<Checkpoint>> ReadingJournal::latest_checkpoint(
    std::string_view run) {
  return readers_.read(
      [&](SqliteConnection& file) { return read_checkpoint(file, run); });
}

Result<std::vector<std::string>> ReadingJournal::pruned_ids(
    std::string_view run) {
  return readers_.read(
      [&](SqliteConnection& file) -> Result<std::vector<std::string>> {
        ASSIGN_OR_RETURN(const auto place, read_run_place(file, run));
        if (!place) return run_not_found(run);
        return read_pruned_ids(file, place->number);
      });
}

Result<std::vector<std::string>> ReadingJournal::verify() {
  return readers_.read(check_journal);
}

}  // namespace lamarck::store::internal
