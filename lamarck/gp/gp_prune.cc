#include "lamarck/gp/gp_prune.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lamarck/formula/exactness.h"
#include "lamarck/gp/gp_normalise.h"

namespace lamarck::gp {
namespace {

// How much the error may grow in one step.
constexpr double kMaxGrowth = 1.005;
// Below kRoundingNmse a larger growth is allowed.
constexpr double kMaxRoundingGrowth = 30;

// All models without the intercept, without one term, with a node replaced by
// one of its arguments, or with a subtree replaced by a constant; smallest
// first.
std::vector<GpModel> smaller_models(const GpModel& model) {
  std::vector<GpModel> smaller;
  const auto add = [&](GpModel candidate) {
    normalize(candidate);
    if (!candidate.terms.empty() && candidate.size() < model.size()) {
      smaller.push_back(std::move(candidate));
    }
  };
  if (model.has_intercept) {
    GpModel candidate = model;
    candidate.has_intercept = false;
    add(std::move(candidate));
  }
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    if (model.terms.size() > 1) {
      GpModel candidate = model;
      candidate.terms.erase(candidate.terms.begin() +
                            static_cast<std::ptrdiff_t>(t));
      add(std::move(candidate));
    }
    const GpTree& term = model.terms[t];
    for (std::size_t node = 0; node < term.size(); ++node) {
      const int arity = formula::operation(term[node].op).arity;
      if (arity == 0) continue;
      for (int side = 0; side < arity; ++side) {
        const std::size_t kept =
            side == 1 ? first_argument(term, node) : node - 1;
        GpModel candidate = model;
        candidate.terms[t] = replaced(term, node, subtree(term, kept));
        add(std::move(candidate));
      }
      if (term[node].length > 2) {
        GpModel candidate = model;
        candidate.terms[t] = replaced(term, node, gp_constant(1));
        add(std::move(candidate));
      }
    }
  }
  std::stable_sort(
      smaller.begin(), smaller.end(),
      [](const GpModel& a, const GpModel& b) { return a.size() < b.size(); });
  return smaller;
}

bool is_good_enough(double nmse, double before) {
  return nmse <=
         std::max(kMaxGrowth * before, std::min(kMaxRoundingGrowth * before,
                                                formula::kRoundingNmse));
}

}  // namespace

// Takes the smallest model that is good enough, and repeats.
GpModel pruned(GpModel model, const GpRows& rows, GpFitter& fitter) {
  for (bool shrinks = true; shrinks;) {
    shrinks = false;
    for (GpModel& candidate : smaller_models(model)) {
      if (!fitter.fit(candidate, rows, {.steps = 12})) continue;
      if (!is_good_enough(candidate.nmse, model.nmse)) continue;
      // Keeps the original error as the reference, so that it cannot grow in
      // many small steps.
      candidate.nmse = std::min(candidate.nmse, model.nmse);
      model = std::move(candidate);
      shrinks = true;
      break;
    }
  }
  return model;
}

}  // namespace lamarck::gp
