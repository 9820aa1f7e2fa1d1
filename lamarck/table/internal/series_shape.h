// Finds what the inputs for a series need: its season, and how many past values
// help.

#pragma once

#include <cstddef>
#include <span>

namespace lamarck::table {

inline constexpr std::size_t kMaxSeriesLags = 512;

// Returns the period of the strongest repetition of the row-to-row changes; 0
// if there is none. A season must occur at least three times.
std::size_t find_season(std::span<const double> series);

// Returns the number of past values with which a linear autoregression predicts
// the last fifth of the series best; prefers few.
std::size_t choose_lags(std::span<const double> series, std::size_t horizon,
                        std::size_t season);

// The row that is whole seasons before `row + horizon`, and not after `row`.
// REQUIRES: season > 0. May be negative.
std::ptrdiff_t season_before(std::size_t row, std::size_t horizon,
                             std::size_t season);

}  // namespace lamarck::table
