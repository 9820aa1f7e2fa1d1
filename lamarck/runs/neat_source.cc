#include "lamarck/runs/neat_source.h"

#include <algorithm>
#include <utility>

namespace lamarck::runs {
namespace {

Json generation_json(const neat::GenerationEvaluated::Payload& generation,
                     double seconds, double best) {
  return {{"generation", generation.generation},
          {"evaluations", generation.evaluations},
          {"seconds", seconds},
          {"score", best},
          {"mean", generation.mean},
          {"species", generation.species}};
}

}  // namespace

NeatSource::NeatSource(NetworkLabels labels, Clock& clock)
    : labels_(std::move(labels)), clock_(clock), began_(clock.elapsed()) {}

void NeatSource::note(const neat::GenerationEvaluated::Payload& generation,
                      const neat::Genome& best) {
  const double seconds =
      std::chrono::duration<double>(clock_.elapsed() - began_).count();
  const std::lock_guard lock(mutex_);
  latest_ = Noted{generation, seconds};
  if (generation.best <= record_) return;
  record_ = generation.best;
  improved_ = latest_;
  best_ = best;
}

void NeatSource::collect(std::vector<RunEvent>& events) {
  const std::lock_guard lock(mutex_);
  if (improved_) {
    RunEvent event{.type = "best",
                   .payload = generation_json(improved_->generation,
                                              improved_->seconds, record_)};
    event.payload["network"] = network_view(best_, labels_);
    events.push_back(std::move(event));
  }
  if (latest_) {
    events.push_back({.type = "progress",
                      .payload = generation_json(latest_->generation,
                                                 latest_->seconds, record_)});
  }
  improved_.reset();
  latest_.reset();
}

}  // namespace lamarck::runs
