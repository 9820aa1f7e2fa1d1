#include "lamarck/law/internal/law_recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/gp/extrapolation_trial.h"

namespace lamarck::law {
namespace {

constexpr std::size_t kMaxFoldRows = 1500;
constexpr std::size_t kMaxLineage = 200;
constexpr std::int64_t kAfterExact = 40'000;  // Minimum evaluations.

}  // namespace

LawRecorder::LawRecorder(const gp::RegressionProblem* problem)
    : problem_(problem) {
  if (problem != nullptr) {
    folds_ = make_extrapolation_folds(*problem, kMaxFoldRows);
  }
}

void LawRecorder::add(const archipelago::FunctionPtr& fn) {
  const auto* skeleton =
      dynamic_cast<const archipelago::FormulaSkeleton*>(fn->skeleton().get());
  if (skeleton == nullptr || fn->evaluation().failure) return;
  known_.emplace(fn->id(), fn);
  if (problem_ != nullptr &&
      !problem_->allows(skeleton->formula().body, fn->evaluation().constants)) {
    return;
  }
  Law law;
  law.formula = skeleton->formula();
  law.params = fn->evaluation().constants;
  law.size = skeleton->size();
  law.nmse = -fn->score();
  law.id = fn->id();
  // The test costs a fit, so only suspiciously accurate laws get it.
  if (law.nmse < gp::kSuspicious && !folds_.empty()) {
    law.extrapolated =
        extrapolated_nmse(law.formula.body, law.params, *problem_, folds_);
  }
  const std::size_t before = exact_size();
  front_.insert(std::move(law));
  if (exact_size() < before) has_shrunk_ = true;
}

bool LawRecorder::take_shrunk() { return std::exchange(has_shrunk_, false); }

bool LawRecorder::has_exact() const {
  return exact_size() != std::numeric_limits<std::size_t>::max();
}

std::vector<LawAncestor> LawRecorder::lineage(std::uint64_t id) const {
  std::vector<LawAncestor> ancestors;
  for (auto at = known_.find(id);
       at != known_.end() && ancestors.size() < kMaxLineage;) {
    const archipelago::Function& fn = *at->second;
    const auto& skeleton =
        dynamic_cast<const archipelago::FormulaSkeleton&>(*fn.skeleton());
    ancestors.push_back({.id = fn.id(),
                         .engine = fn.origin().engine,
                         .move = fn.origin().move,
                         .formula = formula::to_infix(
                             skeleton.formula(), &fn.evaluation().constants),
                         .nmse = -fn.score(),
                         .size = skeleton.size()});
    // Parents are ordered from worst to best.
    const auto& parents = fn.origin().parents;
    at = parents.empty() || parents.back() >= fn.id()
             ? known_.end()
             : known_.find(parents.back());
  }
  std::reverse(ancestors.begin(), ancestors.end());
  return ancestors;
}

std::size_t LawRecorder::exact_size() const {
  for (const Law& law : front_.laws()) {
    if (law.is_exact()) return law.size;
  }
  return std::numeric_limits<std::size_t>::max();
}

bool StopRule::is_over(LawRecorder& recorder, std::int64_t evaluations) {
  if (!recorder.has_exact()) return false;
  if (recorder.take_shrunk() || end_ == 0) {
    end_ = evaluations + std::max(kAfterExact, evaluations);
    end_ = std::max(end_, evaluations + kAfterExact);
  }
  return evaluations >= end_;
}

}  // namespace lamarck::law
