#include "lamarck/runs/run_state_view.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/runs/law_json.h"
#include "lamarck/runs/network_view.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

// How far back the newest events of a type are looked for.
constexpr std::uint64_t kNearby = 400;

struct NearbyEvents {
  std::optional<store::Event> at;
  std::optional<store::Event> progress;
  std::optional<store::Event> mutations;
  std::string state = std::string(kQueued);
};

Result<NearbyEvents> read_nearby(store::Journal& journal,
                                 const std::string& run, std::uint64_t seq) {
  NearbyEvents nearby;
  std::uint64_t end = seq;
  // Goes back in steps until both are found or the run began.
  while (end > 0 && (!nearby.progress || !nearby.mutations) &&
         seq - end < 4 * kNearby) {
    const std::uint64_t begin = end > kNearby ? end - kNearby : 0;
    ASSIGN_OR_RETURN(auto events, journal.events(run, begin, end - begin));
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      if (!nearby.at) nearby.at = *event;
      if (event->type == "progress" && !nearby.progress) {
        nearby.progress = *event;
      }
      if (event->type == "mutations" && !nearby.mutations) {
        nearby.mutations = *event;
      }
    }
    end = begin;
  }
  return nearby;
}

void copy_fields(const Json& from, Json& to) {
  for (const auto& [name, value] : from.items()) to[name] = value;
}

void add_mutations(const store::Event& event, Json& view) {
  const Json payload = event_payload(event);
  view["mutations"] = payload.value("list", Json::array());
  view["counts"] = payload.value("counts", Json::object());
  if (view["mutations"].empty()) return;
  const Json& last = view["mutations"].back();
  for (const char* name : {"mutation", "kept", "loss_before", "loss_after"}) {
    view[name] = last.value(name, Json());
  }
}

}  // namespace

Result<Json> run_state_view(RunCatalog& catalog, const RunView& run,
                            std::uint64_t at) {
  const RunSummary& summary = run.summary;
  const std::uint64_t seq = at == 0 ? summary.seq : std::min(at, summary.seq);
  store::Journal& journal = catalog.journal();
  Json view = {{"kind", summary.kind},
               {"state", seq == summary.seq ? run.state : kRunning},
               {"score_name", summary.score_name},
               {"generation", nullptr},
               {"evaluations", nullptr},
               {"seconds", nullptr},
               {"score", nullptr},
               {"loss", nullptr}};
  ASSIGN_OR_RETURN(const NearbyEvents nearby,
                   read_nearby(journal, run.id, seq));
  if (nearby.progress) copy_fields(event_payload(*nearby.progress), view);
  const bool is_network = summary.kind == "net" || summary.kind == "neat";
  if (is_network) {
    view["network"] = nullptr;
    view["mutations"] = Json::array();
    view["counts"] = Json::object();
    for (const char* name : {"mutation", "kept", "loss_before", "loss_after"}) {
      view[name] = nullptr;
    }
    if (nearby.mutations) add_mutations(*nearby.mutations, view);
  }
  const auto after = std::ranges::upper_bound(summary.pictures, seq);
  if (after != summary.pictures.begin()) {
    const std::uint64_t picture = *(after - 1);
    ASSIGN_OR_RETURN(const auto events, journal.events(run.id, picture - 1, 1));
    if (!events.empty()) {
      Json payload = event_payload(events.front());
      const bool is_newer = !nearby.progress || picture > nearby.progress->seq;
      if (is_network) {
        Json network = payload.value("network", Json());
        if (network.is_object()) place_nodes(network);
        view["network"] = std::move(network);
        view["network_seq"] = picture;
        view["is_ensemble"] = payload.value("mutation", "") == "ensemble";
        payload.erase("network");
        const Json mutation = view.value("mutation", Json());
        if (is_newer) copy_fields(payload, view);
        if (nearby.mutations) view["mutation"] = mutation;
      } else if (summary.kind == "fn") {
        add_laws(payload, summary, view);
        view["front_seq"] = picture;
      } else {
        copy_fields(payload, view);
        view["program_seq"] = picture;
      }
    }
  }
  view["seq"] = seq;
  view["at"] =
      nearby.at ? Json(milliseconds_since_1970(nearby.at->ts)) : Json();
  return view;
}

}  // namespace lamarck::runs
