#include "lamarck/table/internal/score_curve.h"

#include <cmath>

namespace lamarck::table {

CurveListener::CurveListener(
    const Profiler<evolution::EvolutionEvent>& profiler, const TablePlan& plan)
    : profiler_(profiler), plan_(plan) {
  remove_ = profiler_.use_profiler(
      [this](const evolution::EvolutionEvent& event) { listen(event); });
}

CurveListener::~CurveListener() { remove_(); }

std::vector<ScorePoint> CurveListener::curve(
    const std::vector<evolution::GrowthRecord>& history) const {
  std::vector<ScorePoint> whole;
  for (const evolution::GrowthRecord& record : history) {
    if (!std::isfinite(record.score)) continue;
    if (!curve_.empty() && record.seconds >= curve_[0].seconds) break;
    const double score = plan_.shown(record.score);
    whole.push_back({.seconds = record.seconds,
                     .evaluations = record.evaluations,
                     .score = score,
                     .best = score});
  }
  whole.insert(whole.end(), curve_.begin(), curve_.end());
  return whole;
}

void CurveListener::listen(const evolution::EvolutionEvent& event) {
  if (const auto* kept = std::get_if<evolution::MutationKept>(&event)) {
    last_ = kept->payload.score;
  }
  if (const auto* back = std::get_if<evolution::MutationRolledBack>(&event)) {
    last_ = back->payload.score;
  }
  const auto* done = std::get_if<evolution::GenerationDone>(&event);
  if (done == nullptr || !std::isfinite(done->payload.best_score)) return;
  const double best = plan_.shown(done->payload.best_score);
  curve_.push_back({.seconds = done->payload.seconds,
                    .evaluations = done->payload.evaluations,
                    .score = std::isfinite(last_) ? plan_.shown(last_) : best,
                    .best = best});
}

}  // namespace lamarck::table
