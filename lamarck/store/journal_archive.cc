#include "lamarck/store/journal_archive.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/internal/clock_text.h"

namespace lamarck::store {
namespace {

constexpr std::size_t kRecordPage = 1000;
// Events of one append of an import.
constexpr std::size_t kEventsPerAppend = 500;
// Stands for a pruned event until it is pruned again.
constexpr const char* kPrunedType = "pruned";

std::int64_t microseconds(Clock::WallTime time) {
  return time.time_since_epoch().count();
}
Clock::WallTime wall_time(const Json& microseconds) {
  return Clock::WallTime(
      std::chrono::microseconds(microseconds.get<std::int64_t>()));
}

Json run_record(const Run& run) {
  return {{"record", "run"},
          {"id", run.id},
          {"kind", run.kind},
          {"title", run.title},
          {"state", run.state},
          {"created", microseconds(run.created)},
          {"updated", microseconds(run.updated)}};
}

Json event_record(const Event& event) {
  Json parents = Json::array();
  for (const Edge& edge : event.parents) {
    parents.push_back({edge.from, edge.type});
  }
  return {{"record", "event"},
          {"id", event.id},
          {"seq", event.seq},
          {"type", event.type},
          {"parents", std::move(parents)},
          {"vector_clock", internal::clock_text(event.vector_clock)},
          {"role", event.role},
          {"content", event.content},
          {"constraints", event.constraints},
          {"score", event.score},
          {"status", event.status},
          {"early_stop_reason", event.early_stop_reason},
          {"failure_signature", event.failure_signature},
          {"retry_count", event.retry_count},
          {"token_cost", event.token_cost},
          {"walltime_ms", event.walltime_ms},
          {"ts", microseconds(event.ts)},
          {"version", event.version}};
}

Result<Event> parse_event(const Json& record) {
  Event event;
  event.id = record.at("id").get<std::string>();
  event.type = record.at("type").get<std::string>();
  for (const Json& parent : record.at("parents")) {
    event.parents.push_back(
        {parent.at(0).get<std::string>(), parent.at(1).get<std::string>()});
  }
  ASSIGN_OR_RETURN(
      event.vector_clock,
      internal::parse_clock(record.at("vector_clock").get<std::string>()));
  event.role = record.at("role").get<std::string>();
  event.content = record.at("content").get<std::string>();
  event.constraints = record.at("constraints").get<std::string>();
  event.score = record.at("score").get<std::string>();
  event.status = record.at("status").get<std::string>();
  event.early_stop_reason = record.at("early_stop_reason").get<std::string>();
  event.failure_signature = record.at("failure_signature").get<std::string>();
  event.retry_count = record.at("retry_count").get<std::int64_t>();
  event.token_cost = record.at("token_cost").get<std::int64_t>();
  event.walltime_ms = record.at("walltime_ms").get<std::int64_t>();
  event.ts = wall_time(record.at("ts"));
  event.version = record.at("version").get<std::int64_t>();
  return event;
}

Result<std::vector<std::string>> run_ids(Journal& journal) {
  std::vector<std::string> ids;
  RunFilter filter{.limit = kRecordPage};
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<Run> page, journal.runs(filter));
    if (page.empty()) break;
    for (const Run& run : page) ids.push_back(run.id);
    filter.after = page.back().id;
  }
  std::ranges::reverse(ids);
  return ids;
}

}  // namespace

Result<JournalCounts> export_journal(
    Journal& journal, const std::function<Result<void>(const Json&)>& write) {
  JournalCounts counts;
  ASSIGN_OR_RETURN(const std::vector<std::string> ids, run_ids(journal));
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const Run run, journal.run(id));
    RETURN_IF_ERROR(write(run_record(run)));
    ++counts.runs;
    ASSIGN_OR_RETURN(const auto pruned, journal.pruned_ids(id));
    for (const std::string& event : pruned) {
      RETURN_IF_ERROR(write({{"record", "pruned"}, {"id", event}}));
    }
    std::uint64_t last = 0;
    for (;;) {
      ASSIGN_OR_RETURN(const auto page, journal.events(id, last, kRecordPage));
      if (page.empty()) break;
      for (const Event& event : page) {
        RETURN_IF_ERROR(write(event_record(event)));
      }
      counts.events += page.size();
      last = page.back().seq;
    }
    ASSIGN_OR_RETURN(const auto checkpoint, journal.latest_checkpoint(id));
    if (!checkpoint) continue;
    RETURN_IF_ERROR(write({{"record", "checkpoint"},
                           {"run", id},
                           {"seq", checkpoint->seq},
                           {"last_event_id", checkpoint->last_event_id},
                           {"state", checkpoint->state_snapshot},
                           {"ts", microseconds(checkpoint->ts)},
                           {"pruned", pruned.size()}}));
  }
  std::string after;
  for (;;) {
    ASSIGN_OR_RETURN(const auto page, journal.answers(after, kRecordPage));
    if (page.empty()) return counts;
    for (const Answer& answer : page) {
      RETURN_IF_ERROR(write({{"record", "answer"},
                             {"key", answer.key},
                             {"digest", answer.digest},
                             {"text", answer.text}}));
    }
    counts.answers += page.size();
    after = page.back().key;
  }
}

Result<void> JournalImport::add(const Json& record) {
  try {
    return add_record(record);
  } catch (const Json::exception& failure) {
    return Error(
        ErrorCode::DataDamaged,
        fmt::format("A record of the export is damaged: {}.", failure.what()));
  }
}

Result<void> JournalImport::add_record(const Json& record) {
  const std::string kind = record.value("record", "");
  if (kind == "run") return add_run(record);
  if (kind == "answer") return add_answer(record);
  if (kind == "checkpoint") return add_checkpoint(record);
  Event event;
  if (kind == "pruned") {
    event.id = last_pruned_ = record.at("id").get<std::string>();
    event.type = kPrunedType;
    event.ts = created_;
  } else if (kind == "event") {
    ASSIGN_OR_RETURN(event, parse_event(record));
    ++counts_.events;
  } else {
    return Error(ErrorCode::DataDamaged,
                 fmt::format("Unknown record '{}'; the file must be one that "
                             "`lamarck db export` wrote.",
                             kind));
  }
  if (++seq_ <= known_) return {};
  waiting_.push_back(std::move(event));
  return waiting_.size() < kEventsPerAppend ? Result<void>() : flush();
}

Result<void> JournalImport::add_run(const Json& record) {
  RETURN_IF_ERROR(flush());
  Run run{.id = record.at("id").get<std::string>(),
          .kind = record.at("kind").get<std::string>(),
          .title = record.at("title").get<std::string>(),
          .state = record.at("state").get<std::string>(),
          .created = wall_time(record.at("created")),
          .updated = wall_time(record.at("updated"))};
  ++counts_.runs;
  run_ = run.id;
  state_ = run.state;
  created_ = run.created;
  seq_ = known_ = 0;
  last_pruned_.clear();
  const auto stored = journal_.run(run_);
  if (stored) {
    known_ = stored->head;
    return {};
  }
  if (stored.error().code() != ErrorCode::NotFound) return stored.error();
  RETURN_IF_ERROR(journal_.append({.run = run_, .new_run = std::move(run)}));
  return {};
}

// Pruning removes the events up to the latest checkpoint, so one is saved where
// the run was pruned before its own.
Result<void> JournalImport::add_checkpoint(const Json& record) {
  RETURN_IF_ERROR(flush());
  const auto pruned = record.at("pruned").get<std::uint64_t>();
  ASSIGN_OR_RETURN(const auto done, journal_.pruned_ids(run_));
  if (pruned > done.size()) {
    RETURN_IF_ERROR(journal_.save_checkpoint({.run = run_,
                                              .seq = pruned,
                                              .last_event_id = last_pruned_,
                                              .state_snapshot = "{}"}));
    RETURN_IF_ERROR(
        journal_.prune(run_, [](const Event&) { return Result<void>(); }));
  }
  return journal_.save_checkpoint(
      {.run = run_,
       .seq = record.at("seq").get<std::uint64_t>(),
       .last_event_id = record.at("last_event_id").get<std::string>(),
       .state_snapshot = record.at("state").get<std::string>(),
       .ts = wall_time(record.at("ts"))});
}

// A reply belongs to no run; it is stored with a run that keeps its state.
Result<void> JournalImport::add_answer(const Json& record) {
  RETURN_IF_ERROR(flush());
  ++counts_.answers;
  Answer answer{.key = record.at("key").get<std::string>(),
                .digest = record.at("digest").get<std::string>(),
                .text = record.at("text").get<std::string>()};
  RETURN_IF_ERROR(journal_.append(
      {.run = run_, .new_state = state_, .answer = std::move(answer)}));
  return {};
}

Result<void> JournalImport::flush() {
  if (waiting_.empty()) return {};
  RETURN_IF_ERROR(
      journal_.append({.run = run_, .events = std::exchange(waiting_, {})}));
  return {};
}

Result<JournalCounts> JournalImport::finish() {
  RETURN_IF_ERROR(flush());
  return counts_;
}

Result<std::string> journal_digest(Journal& journal) {
  Sha256 hash;
  RETURN_IF_ERROR(
      export_journal(journal, [&](const Json& record) -> Result<void> {
        hash.update(dump_json(record));
        return {};
      }));
  return hash.finish();
}

}  // namespace lamarck::store
