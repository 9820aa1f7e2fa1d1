#include "lamarck/gp/problem_reduction.h"

#include <algorithm>
#include <numeric>

#include "lamarck/base/rng.h"
#include "lamarck/data/input_screening.h"

namespace lamarck::gp {
namespace {

std::vector<std::size_t> all_places(std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

}  // namespace

std::vector<std::size_t> choose_inputs(const RegressionProblem& problem,
                                       std::span<const std::size_t> required) {
  const std::size_t count = problem.inputs.size();
  if (count <= kMaxLawInputs) return all_places(count);
  const data::InputScreening screening({.name = problem.target_name,
                                        .kind = data::ColumnKind::Number,
                                        .numbers = problem.target,
                                        .codes = {},
                                        .values = {}});
  std::vector<data::ColumnScore> scores;
  for (const std::vector<double>& column : problem.inputs) {
    scores.push_back(screening.score(column));
  }
  const std::vector<std::size_t> widths(count, 1);
  return data::choose_informative(scores, widths, kMaxLawInputs, required);
}

std::vector<std::size_t> choose_rows(const RegressionProblem& problem) {
  if (problem.rows() <= kMaxLawRows) return all_places(problem.rows());
  std::vector<std::size_t> rows =
      Rng(0).split("law rows").sample(problem.rows(), kMaxLawRows);
  std::ranges::sort(rows);
  return rows;
}

}  // namespace lamarck::gp
