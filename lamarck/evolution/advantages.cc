#include "lamarck/evolution/advantages.h"

#include <algorithm>
#include <cmath>

namespace lamarck::evolution {

Advantages compute_advantages(const std::vector<Episode>& episodes,
                              double discount) {
  Advantages advantages;
  std::vector<double> means;
  for (const Episode& episode : episodes) {
    // Summing from the end gives the return of each step in one pass.
    std::vector<double> sums(episode.rewards);
    for (std::size_t t = sums.size() - 1; t-- > 0;) {
      sums[t] += discount * sums[t + 1];
    }
    means.resize(std::max(means.size(), sums.size()));
    for (std::size_t t = 0; t < sums.size(); ++t) {
      means[t] += sums[t] / static_cast<double>(episodes.size());
    }
    advantages.push_back(std::move(sums));
  }
  for (std::vector<double>& own : advantages) {
    for (std::size_t t = 0; t < own.size(); ++t) own[t] -= means[t];
  }
  return advantages;
}

Advantages compute_advantages(const std::vector<Episode>& episodes,
                              const std::vector<std::vector<double>>& guesses,
                              double discount, double trust) {
  Advantages advantages;
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const std::vector<double>& guess = guesses[i];
    std::vector<double> own(episodes[i].steps());
    double next = 0;
    for (std::size_t t = own.size(); t-- > 0;) {
      // The error of the critic's guess at this step (the TD residual).
      const double residual =
          episodes[i].rewards[t] + discount * guess[t + 1] - guess[t];
      next = own[t] = residual + discount * trust * next;
    }
    advantages.push_back(std::move(own));
  }
  return advantages;
}

void standardize(Advantages& advantages) {
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (const std::vector<double>& own : advantages) {
    for (const double value : own) {
      ++count;
      sum += value;
      squares += value * value;
    }
  }
  const double mean = sum / count;
  // Rounding can make the difference negative; the small constant keeps equal
  // advantages at 0 instead of dividing by 0.
  const double variance = std::max(squares / count - mean * mean, 0.0);
  const double deviation = std::sqrt(variance) + 1e-8;
  for (std::vector<double>& own : advantages) {
    for (double& value : own) value = (value - mean) / deviation;
  }
}

}  // namespace lamarck::evolution
