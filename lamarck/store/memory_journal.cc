#include "lamarck/store/memory_journal.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/append_announcer.h"
#include "lamarck/store/internal/append_rules.h"

namespace lamarck::store {
namespace {

struct RunRecord {
  Run run;
  std::vector<std::string> ids;           // All events, including pruned ones.
  std::map<std::uint64_t, Event> events;  // By seq.
  std::optional<Checkpoint> checkpoint;
};

struct Place {
  std::size_t run = 0;  // Index into the records.
  std::uint64_t seq = 0;
};

// The stored data. A run's number is its index + 1; event numbers are not used.
class Memory : public internal::JournalIndex {
 public:
  Result<std::optional<Answer>> find_answer(std::string_view key) override {
    const auto found = answers.find(key);
    if (found == answers.end()) return std::optional<Answer>();
    return std::optional<Answer>(found->second);
  }

  Result<std::optional<internal::RunPlace>> find_run(
      std::string_view id) override {
    const auto found = run_index.find(id);
    if (found == run_index.end()) return std::optional<internal::RunPlace>();
    return std::optional<internal::RunPlace>(
        {.number = static_cast<std::int64_t>(found->second) + 1,
         .head = records[found->second].run.head});
  }

  Result<std::optional<internal::EventPlace>> find_event(
      std::string_view id) override {
    const auto found = places.find(id);
    if (found == places.end()) return std::optional<internal::EventPlace>();
    return std::optional<internal::EventPlace>(
        {.number = 1, .run = static_cast<std::int64_t>(found->second.run) + 1});
  }

  Result<RunRecord*> record(std::string_view run) {
    const auto found = run_index.find(run);
    if (found == run_index.end()) return internal::run_not_found(run);
    return &records[found->second];
  }

  std::vector<RunRecord> records;
  std::map<std::string, std::size_t, std::less<>> run_index;
  std::map<std::string, Place, std::less<>> places;  // By event id.
  std::map<std::string, Answer, std::less<>> answers;
};

class MemoryJournal : public Journal {
 public:
  Result<Appended> append(Append request) override {
    RETURN_IF_ERROR(internal::check_request(request));
    Result<Appended> outcome = write(std::move(request));
    announcer_.deliver();
    return outcome;
  }

  Result<std::vector<Event>> events(std::string_view run,
                                    std::uint64_t after_seq,
                                    std::size_t limit) override {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const RunRecord* record, memory_.record(run));
    std::vector<Event> list;
    auto next = record->events.upper_bound(after_seq);
    for (; next != record->events.end() && list.size() < limit; ++next) {
      list.push_back(next->second);
    }
    return list;
  }

  Result<Event> event(std::string_view id) override {
    const std::lock_guard lock(mutex_);
    const auto found = memory_.places.find(id);
    if (found == memory_.places.end()) return internal::event_not_found(id);
    const auto& events = memory_.records[found->second.run].events;
    const auto event = events.find(found->second.seq);
    if (event == events.end()) return internal::event_not_found(id);
    return event->second;
  }

  Result<std::optional<Answer>> answer(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    return memory_.find_answer(key);
  }

  Result<std::vector<Answer>> answers(std::string_view after_key,
                                      std::size_t limit) override {
    const std::lock_guard lock(mutex_);
    std::vector<Answer> list;
    auto next = memory_.answers.upper_bound(after_key);
    for (; next != memory_.answers.end() && list.size() < limit; ++next) {
      list.push_back(next->second);
    }
    return list;
  }

  Result<Run> run(std::string_view id) override {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const RunRecord* record, memory_.record(id));
    return record->run;
  }

  Result<std::vector<Run>> runs(const RunFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::size_t end = memory_.records.size();
    if (!filter.after.empty()) {
      ASSIGN_OR_RETURN(const RunRecord* last, memory_.record(filter.after));
      end = static_cast<std::size_t>(last - memory_.records.data());
    }
    std::vector<Run> list;
    while (end > 0 && list.size() < filter.limit) {
      const Run& run = memory_.records[--end].run;
      const bool fits = (filter.kind.empty() || filter.kind == run.kind) &&
                        (filter.state.empty() || filter.state == run.state);
      if (fits) list.push_back(run);
    }
    return list;
  }

  Result<std::uint64_t> run_count(std::string_view kind) override {
    const std::lock_guard lock(mutex_);
    const auto& records = memory_.records;
    return static_cast<std::uint64_t>(std::ranges::count_if(
        records,
        [&](const RunRecord& record) { return record.run.kind == kind; }));
  }

  Result<void> save_checkpoint(const Checkpoint& checkpoint) override {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(RunRecord * record, memory_.record(checkpoint.run));
    const bool is_event =
        checkpoint.seq > 0 && checkpoint.seq <= record->ids.size();
    RETURN_IF_ERROR(internal::check_checkpoint(
        checkpoint, record->run.head,
        is_event ? record->ids[checkpoint.seq - 1] : ""));
    auto& latest = record->checkpoint;
    if (!latest || latest->seq <= checkpoint.seq) latest = checkpoint;
    return {};
  }

  Result<std::optional<Checkpoint>> latest_checkpoint(
      std::string_view run) override {
    const std::lock_guard lock(mutex_);
    const auto found = memory_.run_index.find(run);
    if (found == memory_.run_index.end()) return std::optional<Checkpoint>();
    return memory_.records[found->second].checkpoint;
  }

  Result<std::uint64_t> prune(
      std::string_view run,
      const std::function<Result<void>(const Event&)>& keep) override {
    ASSIGN_OR_RETURN(const std::uint64_t last, prunable(run));
    ASSIGN_OR_RETURN(const std::vector<Event> list, events(run, 0, SIZE_MAX));
    // Call `keep` without the lock: it may be slow or use the journal.
    for (const Event& event : list) {
      if (event.seq <= last) RETURN_IF_ERROR(keep(event));
    }
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(RunRecord * record, memory_.record(run));
    return std::erase_if(
        record->events, [&](const auto& entry) { return entry.first <= last; });
  }

  Result<std::vector<std::string>> pruned_ids(std::string_view run) override {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const RunRecord* record, memory_.record(run));
    const auto count = record->ids.size() - record->events.size();
    return std::vector<std::string>(
        record->ids.begin(),
        record->ids.begin() + static_cast<std::ptrdiff_t>(count));
  }

  Result<std::vector<std::string>> verify() override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> problems;
    for (const RunRecord& record : memory_.records) {
      if (record.ids.size() != record.run.head) {
        problems.push_back(
            fmt::format("Run '{}' has {} events, but its head is {}.",
                        record.run.id, record.ids.size(), record.run.head));
      }
    }
    return problems;
  }

  Remover use_profiler(Profiler<RunAppended>::Function function) override {
    return announcer_.use_profiler(std::move(function));
  }

 private:
  Result<Appended> write(Append request) {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(internal::CheckedAppend checked,
                     internal::check_append(request, memory_));
    if (checked.is_repeat) {
      return Appended{.head = checked.run.head,
                      .is_repeat = true,
                      .answer = std::move(checked.answer)};
    }
    RunRecord& record = place_for(request);
    if (!request.answer.key.empty()) {
      memory_.answers.emplace(request.answer.key, request.answer);
    }
    add_events(record, std::move(request.events));
    return Appended{.head = record.run.head,
                    .answer = std::move(request.answer.text)};
  }

  RunRecord& place_for(const Append& request) {
    if (request.new_run) {
      memory_.run_index.emplace(request.run, memory_.records.size());
      return memory_.records.emplace_back(
          RunRecord{.run = internal::make_run(request)});
    }
    RunRecord& record = *memory_.record(request.run).value();
    if (request.new_state) record.run.state = *request.new_state;
    record.run.updated =
        internal::latest_time(record.run.updated, request.events);
    record.run.head += request.events.size();
    return record;
  }

  void add_events(RunRecord& record, std::vector<Event> events) {
    events = internal::numbered_events(std::move(events), record.run.id,
                                       record.run.head);
    const auto index =
        static_cast<std::size_t>(&record - memory_.records.data());
    for (const Event& event : events) {
      record.ids.push_back(event.id);
      memory_.places.emplace(event.id, Place{.run = index, .seq = event.seq});
      record.events.emplace(event.seq, event);
    }
    if (!announcer_.has_listeners()) return;
    announcer_.add({{.run = record.run.id, .events = std::move(events)}});
  }

  Result<std::uint64_t> prunable(std::string_view run) {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const RunRecord* record, memory_.record(run));
    if (!record->checkpoint) return internal::no_checkpoint(run);
    return record->checkpoint->seq;
  }

  std::mutex mutex_;
  Memory memory_;  // Guarded by mutex_.
  internal::AppendAnnouncer announcer_;
};

}  // namespace

std::unique_ptr<Journal> make_memory_journal() {
  return std::make_unique<MemoryJournal>();
}

}  // namespace lamarck::store
