#include "lamarck/evolution/internal/event_bytes.h"

#include <cstdint>
#include <utility>

namespace lamarck::evolution {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

// The events with MutationDetails; the last kind is IslandRestarted.
using ChildEvent = std::variant<MutationTried, MutationKept, MutationRolledBack,
                                CandidateDropped>;
constexpr std::uint64_t kRestarted = std::variant_size_v<ChildEvent>;

template <std::size_t... Indices>
void add_child(ByteWriter& out, const EvolutionEvent& event,
               std::index_sequence<Indices...>) {
  const auto add = [&]<class Event>(std::uint64_t kind, const Event& held) {
    const MutationDetails& details = held.payload;
    out.add_count(kind);
    out.add_count(details.island);
    out.add_integer(details.generation);
    out.add_text(details.mutation);
    out.add_number(details.loss);
    out.add_number(details.score);
    out.add_number(details.parent_loss);
  };
  const auto add_if = [&]<std::size_t Kind>() {
    using Event = std::variant_alternative_t<Kind, ChildEvent>;
    if (const auto* held = std::get_if<Event>(&event)) add(Kind, *held);
  };
  (add_if.template operator()<Indices>(), ...);
}

template <std::size_t... Indices>
EvolutionEvent make_child(std::uint64_t kind, const MutationDetails& details,
                          std::index_sequence<Indices...>) {
  EvolutionEvent event;
  const auto set = [&]<std::size_t Kind>() {
    using Event = std::variant_alternative_t<Kind, ChildEvent>;
    if (kind == Kind) event = Event{details};
  };
  (set.template operator()<Indices>(), ...);
  return event;
}

constexpr auto kChildKinds = std::make_index_sequence<kRestarted>();

bool is_sent_by_islands(const EvolutionEvent& event) {
  return std::holds_alternative<MutationTried>(event) ||
         std::holds_alternative<MutationKept>(event) ||
         std::holds_alternative<MutationRolledBack>(event) ||
         std::holds_alternative<CandidateDropped>(event) ||
         std::holds_alternative<IslandRestarted>(event);
}

}  // namespace

void add_events(ByteWriter& out, const std::vector<EvolutionEvent>& events) {
  std::uint64_t count = 0;
  for (const EvolutionEvent& event : events) {
    count += is_sent_by_islands(event) ? 1 : 0;
  }
  out.add_count(count);
  for (const EvolutionEvent& event : events) {
    if (const auto* again = std::get_if<IslandRestarted>(&event)) {
      out.add_count(kRestarted);
      out.add_count(again->payload.island);
      out.add_integer(again->payload.generation);
    } else {
      add_child(out, event, kChildKinds);
    }
  }
}

std::vector<EvolutionEvent> read_events(ByteReader& in) {
  std::vector<EvolutionEvent> events;
  const std::size_t count = in.length();
  for (std::size_t i = 0; i < count && in.is_good(); ++i) {
    const std::uint64_t kind = in.count();
    if (kind > kRestarted) in.fail();
    const auto island = static_cast<std::size_t>(in.count());
    const std::int64_t generation = in.integer();
    if (kind == kRestarted) {
      events.emplace_back(
          IslandRestarted{{.generation = generation, .island = island}});
      continue;
    }
    MutationDetails details{.island = island,
                            .generation = generation,
                            .mutation = in.text(),
                            .loss = in.number(),
                            .score = in.number(),
                            .parent_loss = in.number()};
    events.push_back(make_child(kind, details, kChildKinds));
  }
  return events;
}

}  // namespace lamarck::evolution
