#include "lamarck/law/internal/law_rows.h"

#include <algorithm>
#include <vector>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/base/rng.h"
#include "lamarck/law/law.h"

namespace lamarck::law {
namespace {

constexpr std::size_t kMinRowsToHoldOut = 60;
constexpr double kHeldOutShare = 0.1;

}  // namespace

SplitProblem split_problem(const gp::RegressionProblem& problem,
                           std::uint64_t seed) {
  if (problem.rows() < kMinRowsToHoldOut) return {problem, {}};
  Rng rng = Rng(seed).split("hidden rows");
  std::vector<std::size_t> seen;
  std::vector<std::size_t> held_out;
  for (std::size_t row = 0; row < problem.rows(); ++row) {
    (rng.chance(kHeldOutShare) ? held_out : seen).push_back(row);
  }
  return {gp::pick_rows(problem, seen), gp::pick_rows(problem, held_out)};
}

std::function<bool(const archipelago::Function&)> make_confirmation(
    const gp::RegressionProblem& held_out) {
  if (held_out.rows() == 0) return {};
  return [&held_out](const archipelago::Function& fn) {
    const auto* skeleton =
        dynamic_cast<const archipelago::FormulaSkeleton*>(fn.skeleton().get());
    if (skeleton == nullptr) return false;
    const double nmse =
        law_nmse(skeleton->formula().body, fn.evaluation().constants, held_out);
    return nmse <= std::max(100 * -fn.score(), 1e-18);
  };
}

}  // namespace lamarck::law
