// The rows of a law search: most are fitted, some are held out.

#pragma once

#include <cstdint>
#include <functional>

#include "lamarck/archipelago/function.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::law {

// Rows to fit, and held-out rows that only confirm a new best.
struct SplitProblem {
  gp::RegressionProblem seen;
  gp::RegressionProblem held_out;  // Empty if there are few rows.
};

// Holds out a tenth of the rows, chosen by the seed, unless there are few.
SplitProblem split_problem(const gp::RegressionProblem& problem,
                           std::uint64_t seed);

// A new best must also do well on the held-out rows; a factor of 100 allows for
// noise, and tiny errors for rounding. Empty without held-out rows. The rows
// must outlive the result.
std::function<bool(const archipelago::Function&)> make_confirmation(
    const gp::RegressionProblem& held_out);

}  // namespace lamarck::law
