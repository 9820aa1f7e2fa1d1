#include "lamarck/data/input_screening.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lamarck/base/ensure.h"
#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

constexpr std::size_t kMaxScreenedRows = 1000;
constexpr std::size_t kMaxBins = 16;

// With few rows per bin, chance looks like information.
std::size_t bin_count(std::size_t rows) {
  const auto root = std::lround(std::cbrt(static_cast<double>(rows)));
  return std::clamp<std::size_t>(static_cast<std::size_t>(root), 2, kMaxBins);
}

// The rank of each value from 0; equal values share their mean rank.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    const double mean = 0.5 * static_cast<double>(begin + end - 1);
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
    begin = end;
  }
  return ranks;
}

// Bins of about equal counts.
std::vector<std::size_t> bins_of_ranks(std::span<const double> ranks) {
  const auto bins = static_cast<double>(bin_count(ranks.size()));
  const auto rows = static_cast<double>(ranks.size());
  std::vector<std::size_t> result;
  result.reserve(ranks.size());
  for (const double rank : ranks) {
    result.push_back(static_cast<std::size_t>(rank * bins / rows));
  }
  return result;
}

// Each of the most frequent codes gets a bin; the others, and missing cells,
// share the last one.
std::vector<std::size_t> bins_of_codes(std::span<const std::int32_t> codes) {
  std::vector<std::pair<std::size_t, std::int32_t>> counts;
  for (const std::int32_t code : codes) {
    const auto place = static_cast<std::size_t>(code + 1);
    while (counts.size() <= place) {
      counts.emplace_back(0, static_cast<std::int32_t>(counts.size()) - 1);
    }
    ++counts[place].first;
  }
  std::ranges::sort(counts, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::size_t> bin(counts.size(), kMaxBins - 1);
  for (std::size_t i = 0; i < std::min(counts.size(), kMaxBins - 1); ++i) {
    bin[static_cast<std::size_t>(counts[i].second + 1)] = i;
  }
  std::vector<std::size_t> result;
  for (const std::int32_t code : codes) {
    result.push_back(bin[static_cast<std::size_t>(code + 1)]);
  }
  return result;
}

double correlation_of(std::span<const double> a, std::span<const double> b) {
  const auto rows = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / rows;
    mean_b += b[i] / rows;
  }
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  const double result = std::fabs(ab) / std::sqrt(aa) / std::sqrt(bb);
  return std::isfinite(result) ? result : 0;
}

// The square root of the share of the variance of `values` that the groups
// explain, less what chance alone would explain.
double group_correlation(std::span<const double> values,
                         std::span<const std::size_t> groups) {
  std::vector<double> sums(kMaxBins, 0);
  std::vector<double> counts(kMaxBins, 0);
  double mean = 0;
  const auto rows = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[groups[i]] += values[i];
    counts[groups[i]] += 1;
    mean += values[i] / rows;
  }
  double within = 0;
  double all = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - sums[groups[i]] / counts[groups[i]];
    within += off * off;
    all += (values[i] - mean) * (values[i] - mean);
  }
  const auto used = static_cast<double>(
      std::ranges::count_if(counts, [](double count) { return count > 0; }));
  if (rows <= used || !(all > 0)) return 0;
  const double share = 1 - within / all * (rows - 1) / (rows - used);
  return share > 0 ? std::sqrt(share) : 0;
}

// In nats, less the bias of the estimate (Miller and Madow).
double information_of(std::span<const std::size_t> a,
                      std::span<const std::size_t> b) {
  std::vector<double> both(kMaxBins * kMaxBins, 0);
  std::vector<double> of_a(kMaxBins, 0);
  std::vector<double> of_b(kMaxBins, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    both[a[i] * kMaxBins + b[i]] += 1;
    of_a[a[i]] += 1;
    of_b[b[i]] += 1;
  }
  const auto rows = static_cast<double>(a.size());
  double sum = 0;
  double used_a = 0;
  double used_b = 0;
  for (std::size_t i = 0; i < kMaxBins; ++i) {
    used_a += of_a[i] > 0 ? 1 : 0;
    used_b += of_b[i] > 0 ? 1 : 0;
    for (std::size_t k = 0; k < kMaxBins; ++k) {
      const double count = both[i * kMaxBins + k];
      if (count == 0) continue;
      sum += count / rows * std::log(count * rows / (of_a[i] * of_b[k]));
    }
  }
  return std::max(0.0, sum - (used_a - 1) * (used_b - 1) / (2 * rows));
}

// Orders places by one member of the score, best first.
std::vector<std::size_t> ordered_by(std::span<const ColumnScore> scores,
                                    double ColumnScore::*member) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t place) {
    return scores[place].*member;
  });
  return order;
}

}  // namespace

InputScreening::InputScreening(const Column& target) {
  const bool is_number = target.kind == ColumnKind::Number;
  const std::size_t count =
      is_number ? target.numbers.size() : target.codes.size();
  for (std::size_t row = 0; row < count; ++row) {
    if (!target.is_missing(row)) rows_.push_back(row);
  }
  if (rows_.size() > kMaxScreenedRows) {
    // At random, because evenly spaced rows could alias with a periodic signal.
    std::vector<std::size_t> some;
    for (const std::size_t place :
         Rng(0).split("screening").sample(rows_.size(), kMaxScreenedRows)) {
      some.push_back(rows_[place]);
    }
    std::ranges::sort(some);
    rows_ = std::move(some);
  }
  std::vector<std::int32_t> codes;
  for (const std::size_t row : rows_) {
    if (is_number) {
      numbers_.push_back(target.numbers[row]);
    } else {
      codes.push_back(target.codes[row]);
    }
  }
  bins_ = is_number ? bins_of_ranks(ranks_of(numbers_)) : bins_of_codes(codes);
}

ColumnScore InputScreening::score(const Column& column) const {
  if (column.kind == ColumnKind::Number) return score(column.numbers);
  std::vector<std::int32_t> codes;
  for (const std::size_t row : rows_) codes.push_back(column.codes[row]);
  const std::vector<std::size_t> bins = bins_of_codes(codes);
  return {
      .correlation = numbers_.empty() ? 0 : group_correlation(numbers_, bins),
      .information = information_of(bins, bins_)};
}

ColumnScore InputScreening::score(std::span<const double> numbers) const {
  // Rows without a number are left out.
  std::vector<double> values;
  std::vector<double> target;
  std::vector<std::size_t> target_bins;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double value = numbers[rows_[i]];
    if (std::isnan(value)) continue;
    values.push_back(value);
    if (!numbers_.empty()) target.push_back(numbers_[i]);
    target_bins.push_back(bins_[i]);
  }
  // The correlation of a constant would be the quotient of rounding errors.
  if (values.empty() || std::ranges::min(values) == std::ranges::max(values)) {
    return {};
  }
  const std::vector<double> ranks = ranks_of(values);
  ColumnScore score{.information =
                        information_of(bins_of_ranks(ranks), target_bins)};
  score.correlation = numbers_.empty()
                          ? group_correlation(ranks, target_bins)
                          : std::max(correlation_of(values, target),
                                     correlation_of(ranks, ranks_of(target)));
  return score;
}

std::vector<std::size_t> choose_informative(
    std::span<const ColumnScore> scores, std::span<const std::size_t> widths,
    std::size_t max_width, std::span<const std::size_t> required) {
  REQUIRE(scores.size() == widths.size(),
          "choose_informative: there must be one width for each of the {} "
          "scores, got {}.",
          scores.size(), widths.size());
  std::vector<bool> is_chosen(scores.size(), false);
  std::size_t used = 0;
  for (const std::size_t place : required) {
    if (!is_chosen[place]) used += widths[place];
    is_chosen[place] = true;
  }
  const auto choose = [&](double ColumnScore::*member, std::size_t limit) {
    for (const std::size_t place : ordered_by(scores, member)) {
      if (is_chosen[place] || used + widths[place] > limit) continue;
      is_chosen[place] = true;
      used += widths[place];
    }
  };
  if (used < max_width) {
    choose(&ColumnScore::correlation, used + (max_width - used) / 2);
    choose(&ColumnScore::information, max_width);
  }
  std::vector<std::size_t> chosen;
  for (std::size_t place = 0; place < is_chosen.size(); ++place) {
    if (is_chosen[place]) chosen.push_back(place);
  }
  return chosen;
}

}  // namespace lamarck::data
