#include "lamarck/evolution/internal/island_crew.h"

#include <utility>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/evolution/internal/event_bytes.h"
#include "lamarck/evolution/internal/island_delta.h"

namespace lamarck::evolution {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

// The island that an event is about.
std::size_t island_of(const EvolutionEvent& event) {
  return std::visit(
      []<class Event>(const Event& held) -> std::size_t {
        if constexpr (requires { held.payload.island; }) {
          return held.payload.island;
        } else {
          return 0;
        }
      },
      event);
}

void throw_unless(const Result<void>& good) {
  if (!good) throw LogicError(good.error());
}

}  // namespace

IslandCrew::IslandCrew(crew::Crew& crew, std::size_t islands, Steps steps)
    : crew_(crew),
      steps_(std::move(steps)),
      work_([this](std::size_t index, std::string_view input) {
        return live(index, input);
      }),
      own_(islands),
      changes_(islands),
      events_(islands) {}

void IslandCrew::note(const EvolutionEvent& event) {
  const std::lock_guard lock(mutex_);
  events_.at(island_of(event)).push_back(event);
}

// The input is a change of what this process has, or of an empty island.
std::string IslandCrew::live(std::size_t index, std::string_view input) {
  ByteReader in(input);
  std::optional<Island>& own = own_.at(index);
  if (in.flag()) own = Island{.index = index};
  if (!own) in.fail();
  const bool is_changed = in.flag();
  if (is_changed && in.is_good()) apply_island_delta(in, *own);
  throw_unless(in.check("An island"));
  const Island before = *own;
  {
    const std::lock_guard lock(mutex_);
    events_[index].clear();
  }
  steps_.advance(*own);
  ByteWriter out;
  add_island_delta(out, before, *own);
  const std::lock_guard lock(mutex_);
  add_events(out, events_[index]);
  return out.take();
}

Result<void> IslandCrew::advance(std::vector<Island>& islands) {
  const auto input = [&](std::size_t index, bool is_home) {
    ByteWriter out;
    out.add_flag(!is_home);
    out.add_flag(!is_home || !changes_[index].empty());
    if (!is_home) {
      add_island_delta(out, Island{.index = index}, islands[index]);
      return out.take();
    }
    return out.take() + changes_[index];
  };
  ASSIGN_OR_RETURN(const std::vector<std::string> results,
                   crew_.map({.count = islands.size(),
                              .input = input,
                              .keeps_homes = true,
                              .work = work_,
                              .should_stop = steps_.should_stop}));
  for (std::size_t i = 0; i < islands.size(); ++i) {
    ByteReader in(results[i]);
    apply_island_delta(in, islands[i]);
    const std::vector<EvolutionEvent> events = read_events(in);
    RETURN_IF_ERROR(in.check("A generation of an island"));
    for (const EvolutionEvent& event : events) steps_.report(event);
    changes_[i].clear();
  }
  return {};
}

void IslandCrew::note_changes(const std::vector<Island>& before,
                              const std::vector<Island>& islands) {
  for (std::size_t i = 0; i < islands.size(); ++i) {
    ByteWriter out;
    add_island_delta(out, before[i], islands[i]);
    changes_[i] = out.take();
  }
}

Result<std::string> IslandCrew::serve() { return crew_.serve(work_); }

}  // namespace lamarck::evolution
