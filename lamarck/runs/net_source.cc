#include "lamarck/runs/net_source.h"

#include <cmath>
#include <utility>

namespace lamarck::runs {
namespace {

// Listed per event "mutations"; those that were kept come on top.
constexpr std::size_t kMaxRolledBack = 32;
constexpr std::size_t kMaxMutations = 64;
constexpr std::size_t kMaxBest = 16;
constexpr std::size_t kMaxOthers = 16;

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

NetSource::NetSource(NetSourceOptions options) : options_(std::move(options)) {}

double NetSource::shown(double score) const {
  return options_.shown_score && std::isfinite(score)
             ? options_.shown_score(score)
             : score;
}

void NetSource::note(const evolution::EvolutionEvent& event) {
  using namespace evolution;
  const std::lock_guard lock(mutex_);
  if (const auto* kept = std::get_if<MutationKept>(&event)) {
    note_mutation(kept->payload, true);
  } else if (const auto* back = std::get_if<MutationRolledBack>(&event)) {
    note_mutation(back->payload, false);
  } else if (const auto* done = std::get_if<GenerationDone>(&event)) {
    pending_.progress = done->payload;
  } else if (const auto* best = std::get_if<BestImproved>(&event)) {
    note_best(best->payload);
  } else if (pending_.others.size() >= kMaxOthers) {
    return;
  } else if (const auto* moved = std::get_if<Migrated>(&event)) {
    if (!moved->payload.settled) return;
    pending_.others.push_back(
        {.type = "islands",
         .payload = {{"what", "migrated"},
                     {"generation", moved->payload.generation},
                     {"from", moved->payload.from},
                     {"to", moved->payload.to},
                     {"loss", finite(moved->payload.loss)}}});
  } else if (const auto* again = std::get_if<IslandRestarted>(&event)) {
    pending_.others.push_back(
        {.type = "islands",
         .payload = {{"what", "restarted"},
                     {"generation", again->payload.generation},
                     {"island", again->payload.island}}});
  } else if (const auto* saved = std::get_if<CheckpointSaved>(&event)) {
    pending_.others.push_back(
        {.type = "checkpoint",
         .payload = {{"generation", saved->payload.generation}}});
  }
}

void NetSource::note_mutation(const evolution::MutationDetails& details,
                              bool is_kept) {
  const auto found = pending_.counts.find(details.mutation);
  MutationCount& count = found != pending_.counts.end()
                             ? found->second
                             : pending_.counts[details.mutation];
  ++count.tried;
  count.kept += is_kept ? 1 : 0;
  const std::size_t limit = is_kept ? kMaxMutations : kMaxRolledBack;
  if (pending_.mutations.size() < limit) {
    pending_.mutations.push_back({details, is_kept});
  } else {
    ++pending_.skipped;
    // The last one is always the newest.
    pending_.mutations.back() = {details, is_kept};
  }
}

void NetSource::note_best(const evolution::BestImproved::Payload& payload) {
  if (payload.networks == nullptr) return;
  NotedBest best{payload, *payload.networks};
  best.payload.networks = nullptr;
  if (pending_.best.size() < kMaxBest) {
    pending_.best.push_back(std::move(best));
  } else {
    pending_.best.back() = std::move(best);
  }
}

RunEvent NetSource::mutations_event(const Pending& pending) const {
  Json list = Json::array();
  for (const NotedMutation& noted : pending.mutations) {
    const evolution::MutationDetails& details = noted.details;
    list.push_back({{"generation", details.generation},
                    {"island", details.island},
                    {"mutation", details.mutation},
                    {"kept", noted.is_kept},
                    {"loss_before", finite(details.parent_loss)},
                    {"loss_after", finite(details.loss)},
                    {"score", finite(shown(details.score))}});
  }
  Json counts = Json::object();
  for (const auto& [name, count] : pending.counts) {
    counts[name] = {{"tried", count.tried}, {"kept", count.kept}};
  }
  return {.type = "mutations",
          .payload = {{"list", std::move(list)},
                      {"skipped", pending.skipped},
                      {"counts", std::move(counts)}}};
}

RunEvent NetSource::best_event(const NotedBest& best) const {
  RunEvent event{.type = "best",
                 .payload = {{"generation", best.payload.generation},
                             {"evaluations", best.payload.evaluations},
                             {"seconds", best.payload.seconds},
                             {"loss", finite(best.payload.loss)},
                             {"score", finite(shown(best.payload.score))},
                             {"mutation", best.payload.mutation}}};
  if (!best.networks.empty()) {
    event.payload["network"] =
        network_view(best.networks.front(), options_.labels);
  }
  return event;
}

void NetSource::collect(std::vector<RunEvent>& events) {
  Pending taken;
  {
    const std::lock_guard lock(mutex_);
    taken = std::exchange(pending_, {});
    pending_.counts = taken.counts;
  }
  // JSON is written without the lock, so that the evolution does not wait.
  if (!taken.mutations.empty()) events.push_back(mutations_event(taken));
  for (const NotedBest& best : taken.best) events.push_back(best_event(best));
  for (RunEvent& other : taken.others) events.push_back(std::move(other));
  if (taken.progress) {
    const evolution::GenerationDone::Payload& done = *taken.progress;
    events.push_back({.type = "progress",
                      .payload = {{"generation", done.generation},
                                  {"evaluations", done.evaluations},
                                  {"seconds", done.seconds},
                                  {"loss", finite(done.best_loss)},
                                  {"score", finite(shown(done.best_score))},
                                  {"hidden", done.hidden_nodes},
                                  {"edges", done.edges},
                                  {"recurrent", done.recurrent_edges}}});
  }
}

}  // namespace lamarck::runs
