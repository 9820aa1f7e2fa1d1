#include "lamarck/table/ensemble/member_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lamarck::table {
namespace {

using evolution::Examples;
using evolution::Loss;

constexpr double kMinProbability = 1e-6;

double log_sum_exp(std::span<const float> values) {
  const double top = double{std::ranges::max(values)};
  double sum = 0;
  for (const float value : values) sum += std::exp(double{value} - top);
  return top + std::log(sum);
}

double row_logit_loss(std::span<const float> logits,
                      std::span<const float> targets, Loss head) {
  double sum = 0;
  switch (head) {
    case Loss::MeanSquared:
      for (std::size_t i = 0; i < logits.size(); ++i) {
        const double error = double{logits[i]} - double{targets[i]};
        sum += error * error / static_cast<double>(logits.size());
      }
      return sum;
    case Loss::BinaryCrossEntropy:
      for (std::size_t i = 0; i < logits.size(); ++i) {
        const double x = double{logits[i]};
        const double softplus =
            std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
        sum += softplus - x * double{targets[i]};
      }
      return sum;
    case Loss::CrossEntropy:
      break;
  }
  const double scale = log_sum_exp(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    sum -= double{targets[i]} * (double{logits[i]} - scale);
  }
  return sum;
}

}  // namespace

Tensor to_logits(const Tensor& outputs, Loss head) {
  Tensor logits = outputs.contiguous().clone();
  if (head == Loss::MeanSquared) return logits;
  for (float& value : logits.data()) {
    const double p =
        std::clamp(double{value}, kMinProbability, 1 - kMinProbability);
    value = static_cast<float>(head == Loss::CrossEntropy
                                   ? std::log(p)
                                   : std::log(p) - std::log1p(-p));
  }
  return logits;
}

Tensor to_outputs(const Tensor& logits, Loss head) {
  Tensor outputs = logits.contiguous().clone();
  if (head == Loss::MeanSquared) return outputs;
  if (head == Loss::BinaryCrossEntropy) {
    for (float& value : outputs.data()) value = 1 / (1 + std::exp(-value));
    return outputs;
  }
  const auto width = static_cast<std::size_t>(outputs.size(1));
  const std::span<float> all = outputs.data();
  for (std::size_t at = 0; at < all.size(); at += width) {
    const auto row = all.subspan(at, width);
    const double scale = log_sum_exp(row);
    for (float& value : row) {
      value = static_cast<float>(std::exp(double{value} - scale));
    }
  }
  return outputs;
}

double logit_loss(const Tensor& logits, const Examples& known, Loss head) {
  const Tensor targets = known.targets.contiguous();
  const Tensor flat = logits.contiguous();
  const auto width = static_cast<std::size_t>(flat.size(1));
  const std::span<const float> values = flat.data();
  const std::span<const float> wanted = targets.data();
  double sum = 0;
  double weights = 0;
  for (std::size_t row = 0; row < known.rows(); ++row) {
    const double weight =
        known.weights.rank() == 0
            ? 1
            : double{known.weights.at({static_cast<std::int64_t>(row)})};
    sum += weight * row_logit_loss(values.subspan(row * width, width),
                                   wanted.subspan(row * width, width), head);
    weights += weight;
  }
  return sum / weights;
}

std::vector<std::size_t> choose_members(std::span<const Tensor> logits,
                                        const Examples& known, Loss head,
                                        const ChoiceLimits& limits) {
  std::vector<std::size_t> counts(logits.size(), 0);
  std::vector<std::size_t> best_counts = counts;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t pick = 0; pick < limits.picks; ++pick) {
    const auto picked =
        counts.size() -
        static_cast<std::size_t>(std::ranges::count(counts, std::size_t{0}));
    std::size_t chosen = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (picked >= limits.candidates && counts[i] == 0) continue;
      ++counts[i];
      const double loss = logit_loss(mean_logits(logits, counts), known, head);
      --counts[i];
      if (loss < lowest) {
        lowest = loss;
        chosen = i;
      }
    }
    if (!std::isfinite(lowest)) break;
    ++counts[chosen];
    if (lowest < best) {
      best = lowest;
      best_counts = counts;
    }
  }
  return best_counts;
}

Tensor mean_logits(std::span<const Tensor> logits,
                   std::span<const std::size_t> counts) {
  Tensor mean = Tensor::zeros(logits[0].shape());
  const auto sum = static_cast<float>(
      std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  const std::span<float> to = mean.data();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (counts[i] == 0) continue;
    const float share = static_cast<float>(counts[i]) / sum;
    const std::span<const float> from = logits[i].data();
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += share * from[k];
  }
  return mean;
}

}  // namespace lamarck::table
