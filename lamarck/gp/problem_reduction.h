// Reduces a large problem to what a search for laws can use: the inputs that
// tell most about the target, and a sample of the rows.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

// The genetic engine looks at all pairs of inputs, so its memory and setup time
// grow with the square of their number.
inline constexpr std::size_t kMaxLawInputs = 100;
// Each fit passes many times over all rows.
inline constexpr std::size_t kMaxLawRows = 100'000;

// Returns the places of at most kMaxLawInputs inputs, in ascending order: the
// required ones, and those that data::InputScreening ranks highest. All places
// if there are not more.
std::vector<std::size_t> choose_inputs(
    const RegressionProblem& problem,
    std::span<const std::size_t> required = {});

// Returns kMaxLawRows rows, drawn at random but always the same, in ascending
// order; all rows if there are not more.
std::vector<std::size_t> choose_rows(const RegressionProblem& problem);

}  // namespace lamarck::gp
