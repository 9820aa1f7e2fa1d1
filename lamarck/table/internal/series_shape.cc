#include "lamarck/table/internal/series_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lamarck/table/internal/autoregression.h"

namespace lamarck::table {
namespace {

constexpr std::size_t kMaxSeason = 400;
constexpr std::size_t kMaxSeasonRows = 20'000;  // The latest ones are enough.
constexpr double kMinCorrelation = 0.3;
// A shorter season wins if its correlation is at least this share of the best.
constexpr double kShorterShare = 0.9;
constexpr double kMinLagGain = 0.01;

std::vector<double> centered_changes(std::span<const double> series) {
  std::vector<double> changes;
  double sum = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    changes.push_back(series[i] - series[i - 1]);
    sum += changes.back();
  }
  for (double& each : changes)
    each -= sum / static_cast<double>(changes.size());
  return changes;
}

double correlation_at(std::span<const double> values, std::size_t lag) {
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    square += values[i] * values[i];
    if (i >= lag) product += values[i] * values[i - lag];
  }
  if (square <= 0) return 0;
  const auto n = static_cast<double>(values.size());
  return product / square * n / (n - static_cast<double>(lag));
}

// The error of an autoregression on the rows after the first four fifths.
double autoregression_error(std::span<const double> series, std::size_t horizon,
                            std::size_t lags) {
  const std::size_t begin = series.size() * 4 / 5;
  if (begin <= horizon) return std::numeric_limits<double>::infinity();
  const Autoregression model(series.first(begin), horizon, lags);
  double sum = 0;
  for (std::size_t row = begin; row + horizon < series.size(); ++row) {
    const double error =
        series[row + horizon] - model.predict(series.first(row + 1));
    sum += error * error;
  }
  return std::sqrt(sum);
}

}  // namespace

std::size_t find_season(std::span<const double> series) {
  if (series.size() > kMaxSeasonRows) series = series.last(kMaxSeasonRows);
  if (series.size() < 12) return 0;
  const std::vector<double> changes = centered_changes(series);
  const std::size_t longest = std::min(kMaxSeason, changes.size() / 3);
  std::vector<double> correlations(longest + 2, 0.0);
  for (std::size_t lag = 1; lag <= longest + 1; ++lag) {
    correlations[lag] = correlation_at(changes, lag);
  }
  const auto is_peak = [&](std::size_t lag) {
    return correlations[lag] >= kMinCorrelation &&
           correlations[lag] > correlations[lag - 1] &&
           correlations[lag] >= correlations[lag + 1];
  };
  double best = 0;
  for (std::size_t lag = 2; lag <= longest; ++lag) {
    if (is_peak(lag)) best = std::max(best, correlations[lag]);
  }
  for (std::size_t lag = 2; lag <= longest; ++lag) {
    if (is_peak(lag) && correlations[lag] >= kShorterShare * best) return lag;
  }
  return 0;
}

std::size_t choose_lags(std::span<const double> series, std::size_t horizon,
                        std::size_t season) {
  std::size_t chosen = 4;
  double lowest = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> choices = {4, 8, 16, 32};
  if (season > 0 && season <= 64) choices.push_back(2 * season);
  std::ranges::sort(choices);
  for (const std::size_t lags : choices) {
    // At least ten rows for each input.
    if (10 * lags > series.size()) break;
    const double error = autoregression_error(series, horizon, lags);
    if (!(error < lowest * (1 - kMinLagGain))) continue;
    lowest = error;
    chosen = lags;
  }
  return chosen;
}

std::ptrdiff_t season_before(std::size_t row, std::size_t horizon,
                             std::size_t season) {
  const std::size_t back = (horizon + season - 1) / season * season;
  return static_cast<std::ptrdiff_t>(row + horizon) -
         static_cast<std::ptrdiff_t>(back);
}

}  // namespace lamarck::table
