#include "lamarck/store/internal/append_rules.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/unicode.h"

namespace lamarck::store::internal {
namespace {

using Places = std::unordered_map<std::string_view, std::int64_t>;

Error invalid(std::string message, const Event& event) {
  return {
      ErrorCode::InvalidArgument, std::move(message), {{"event", event.id}}};
}

std::string join_choices(const std::array<std::string_view, 4>& names) {
  return fmt::format("{}, {}, {} or {}", names[0], names[1], names[2],
                     names[3]);
}

Result<void> check_edges(const Event& event) {
  if (event.parents.size() > kMaxParents) {
    return invalid(fmt::format("Event {} must have at most {} parents, got {}.",
                               event.id, kMaxParents, event.parents.size()),
                   event);
  }
  for (const Edge& edge : event.parents) {
    if (!index_of(kEdgeTypes, edge.type)) {
      return invalid(
          fmt::format("Event {} has an edge of unknown type '{}'; use {}.",
                      event.id, edge.type, join_choices(kEdgeTypes)),
          event);
    }
  }
  return {};
}

Result<void> check_event(const Event& event) {
  if (event.id.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "An event must have an id, such as evt_<uuid>.");
  }
  const std::size_t length = unicode_length(event.content);
  if (length > kContentCharacters) {
    return invalid(fmt::format("The content of event {} has {} characters; the "
                               "limit is {}. Split it into several events.",
                               event.id, length, kContentCharacters),
                   event);
  }
  if (!index_of(kStatuses, event.status)) {
    return invalid(fmt::format("Event {} has the unknown status '{}'; use {}.",
                               event.id, event.status, join_choices(kStatuses)),
                   event);
  }
  return check_edges(event);
}

Error run_exists(std::string_view run) {
  return {ErrorCode::AlreadyExists,
          fmt::format("Run '{}' already exists; choose another id.", run),
          {{"run", std::string(run)}}};
}

Error head_moved(const Append& request, std::uint64_t head) {
  return {ErrorCode::Conflict,
          fmt::format("Run '{}' is at event {}, not {}: another writer has "
                      "appended. Read the new events and try again.",
                      request.run, head, *request.expected_head),
          {{"head", std::to_string(head)}, {"run", request.run}}};
}

Error run_full(const Append& request) {
  return {ErrorCode::FailedPrecondition,
          fmt::format("Run '{}' would exceed the limit of {} events; "
                      "continue in a new run.",
                      request.run, kMaxEvents),
          {{"run", request.run}}};
}

Error key_reused(std::string_view key) {
  return {ErrorCode::Conflict,
          fmt::format("The idempotency key '{}' was already used for a "
                      "different request; use a new key.",
                      key),
          {{"key", std::string(key)}}};
}

Error parent_not_found(const Event& event, std::string_view parent,
                       std::string_view run) {
  return {ErrorCode::NotFound,
          fmt::format("Event {} has the parent {}, which is not an earlier "
                      "event of run '{}'.",
                      event.id, parent, run),
          {{"event", event.id}, {"parent", std::string(parent)}}};
}

// Returns the numbers of one event's parents. `own` holds the events of this
// append so far.
Result<std::vector<std::int64_t>> find_parents(const Event& event,
                                               const Append& request,
                                               const RunPlace& run,
                                               const Places& own,
                                               JournalIndex& index) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(event.parents.size());
  for (const Edge& edge : event.parents) {
    if (const auto found = own.find(edge.from); found != own.end()) {
      numbers.push_back(found->second);
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<EventPlace> place,
                     index.find_event(edge.from));
    if (!place || place->run != run.number) {
      return parent_not_found(event, edge.from, request.run);
    }
    numbers.push_back(place->number);
  }
  return numbers;
}

Result<RunPlace> find_place(const Append& request, JournalIndex& index) {
  ASSIGN_OR_RETURN(const std::optional<RunPlace> run,
                   index.find_run(request.run));
  if (request.new_run && run) return run_exists(request.run);
  if (!request.new_run && !run) return run_not_found(request.run);
  const RunPlace place = run.value_or(RunPlace{});
  if (request.expected_head && *request.expected_head != place.head) {
    return head_moved(request, place.head);
  }
  if (request.events.size() > kMaxEvents - place.head) {
    return run_full(request);
  }
  return place;
}

Result<void> plan_events(const Append& request, JournalIndex& index,
                         CheckedAppend& checked) {
  Places own;
  checked.parents.reserve(request.events.size());
  // Events of one append may be parents of later ones in it.
  for (const Event& event : request.events) {
    ASSIGN_OR_RETURN(const bool is_taken, index.is_taken(event.id));
    if (is_taken || own.contains(event.id)) return event_exists(event.id);
    ASSIGN_OR_RETURN(std::vector<std::int64_t> parents,
                     find_parents(event, request, checked.run, own, index));
    checked.parents.push_back(std::move(parents));
    if (request.events.size() == 1) break;  // No later event can refer to it.
    own.emplace(event.id, -1 - static_cast<std::int64_t>(own.size()));
  }
  return {};
}

}  // namespace

Result<bool> JournalIndex::is_taken(std::string_view id) {
  ASSIGN_OR_RETURN(const std::optional<EventPlace> place, find_event(id));
  return place.has_value();
}

std::optional<std::int64_t> index_of(
    const std::array<std::string_view, 4>& names, std::string_view name) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

Result<void> check_request(const Append& request) {
  if (request.run.empty()) {
    return Error(ErrorCode::InvalidArgument, "An append must name its run.");
  }
  if (request.new_run && !request.new_run->id.empty() &&
      request.new_run->id != request.run) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The id of the new run ('{}') must equal the "
                             "run of the append ('{}').",
                             request.new_run->id, request.run));
  }
  if (request.events.empty() && !request.new_state && !request.new_run) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("An append to run '{}' must contain events or a new state.",
                    request.run));
  }
  for (const Event& event : request.events) {
    RETURN_IF_ERROR(check_event(event));
  }
  return {};
}

Result<CheckedAppend> check_append(const Append& request, JournalIndex& index) {
  CheckedAppend checked;
  // A repeated request gets the stored answer, even if the run moved on since.
  if (!request.answer.key.empty()) {
    ASSIGN_OR_RETURN(const std::optional<Answer> answer,
                     index.find_answer(request.answer.key));
    if (answer && answer->digest != request.answer.digest) {
      return key_reused(request.answer.key);
    }
    if (answer) {
      ASSIGN_OR_RETURN(const auto run, index.find_run(request.run));
      checked.is_repeat = true;
      checked.answer = answer->text;
      checked.run = run.value_or(RunPlace{});
      return checked;
    }
  }
  ASSIGN_OR_RETURN(checked.run, find_place(request, index));
  RETURN_IF_ERROR(plan_events(request, index, checked));
  return checked;
}

Clock::WallTime latest_time(Clock::WallTime before,
                            const std::vector<Event>& events) {
  for (const Event& event : events) before = std::max(before, event.ts);
  return before;
}

Run make_run(const Append& request) {
  REQUIRE(request.new_run,
          "make_run: the append to run '{}' must have new_run set.",
          request.run);
  Run run = *request.new_run;
  run.id = request.run;
  if (request.new_state) run.state = *request.new_state;
  run.updated = latest_time(std::max(run.updated, run.created), request.events);
  run.head = request.events.size();
  return run;
}

Result<void> check_checkpoint(const Checkpoint& checkpoint, std::uint64_t head,
                              std::string_view event_id) {
  if (checkpoint.seq == 0 || checkpoint.seq > head) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("Cannot save a checkpoint of run '{}' at event "
                             "{}; its events are 1 to {}.",
                             checkpoint.run, checkpoint.seq, head),
                 {{"run", checkpoint.run}});
  }
  if (checkpoint.last_event_id != event_id) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The checkpoint of run '{}' states that event "
                             "{} is {}, but it is {}.",
                             checkpoint.run, checkpoint.seq,
                             checkpoint.last_event_id, event_id),
                 {{"run", checkpoint.run}});
  }
  return {};
}

Error run_not_found(std::string_view run) {
  return {ErrorCode::NotFound,
          fmt::format("There is no run '{}' in this journal.", run),
          {{"run", std::string(run)}}};
}

Error event_not_found(std::string_view id) {
  return {ErrorCode::NotFound,
          fmt::format("There is no event {} in this journal.", id),
          {{"event", std::string(id)}}};
}

Error event_exists(std::string_view id) {
  return {
      ErrorCode::AlreadyExists,
      fmt::format("Event {} already exists; give each event a unique id.", id),
      {{"event", std::string(id)}}};
}

Error no_checkpoint(std::string_view run) {
  return {ErrorCode::FailedPrecondition,
          fmt::format(
              "Run '{}' cannot be pruned without a checkpoint; save one first.",
              run),
          {{"run", std::string(run)}}};
}

}  // namespace lamarck::store::internal
