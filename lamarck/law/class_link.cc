#include "lamarck/law/class_link.h"

#include <cmath>

#include "lamarck/base/ensure.h"

namespace lamarck::law {
namespace {

constexpr int kMaxSteps = 100;
constexpr double kMinStep = 1e-10;

// A standardized value with the probability that the link should give.
struct LinkRow {
  double value;
  double wanted;
  double weight;
};

struct LinkScale {
  double mean = 0;
  double deviation = 1;
};

LinkScale scale_of(std::span<const double> values) {
  double count = 0;
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    ++count;
    sum += value;
  }
  if (count == 0) return {};
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - mean) * (value - mean);
  }
  const double deviation = std::sqrt(squares / count);
  const bool is_usable = std::isfinite(deviation) && deviation > 0;
  return {mean, is_usable ? deviation : 1};
}

std::vector<LinkRow> make_rows(std::span<const double> values,
                               const std::vector<bool>& labels,
                               std::span<const double> weights,
                               const LinkScale& scale) {
  double with = 0;
  double without = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    (labels[i] ? with : without) += weights.empty() ? 1 : weights[i];
  }
  const double high = (with + 1) / (with + 2);
  const double low = 1 / (without + 2);
  std::vector<LinkRow> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = std::isfinite(values[i])
                             ? (values[i] - scale.mean) / scale.deviation
                             : 0;
    rows.push_back(
        {value, labels[i] ? high : low, weights.empty() ? 1 : weights[i]});
  }
  return rows;
}

double loss_of(const ClassLink& link, const std::vector<LinkRow>& rows) {
  double loss = 0;
  for (const LinkRow& row : rows) {
    const double z = link.slope * row.value + link.offset;
    // log(1 + exp(z)) without overflow.
    const double softplus =
        std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
    loss += row.weight * (softplus - row.wanted * z);
  }
  return loss;
}

// One step of Newton's method.
ClassLink newton_step(const ClassLink& link, const std::vector<LinkRow>& rows) {
  double gs = 0, go = 0, ss = 1e-9, so = 0, oo = 1e-9;
  for (const LinkRow& row : rows) {
    const double p = link.probability(row.value);
    const double error = row.weight * (p - row.wanted);
    const double weight = row.weight * p * (1 - p);
    gs += error * row.value;
    go += error;
    ss += weight * row.value * row.value;
    so += weight * row.value;
    oo += weight;
  }
  const double determinant = ss * oo - so * so;
  return {.slope = -(gs * oo - go * so) / determinant,
          .offset = -(go * ss - gs * so) / determinant};
}

}  // namespace

double ClassLink::probability(double value) const {
  return 1 / (1 + std::exp(-(slope * value + offset)));
}

ClassLink fit_class_link(std::span<const double> values,
                         const std::vector<bool>& labels,
                         std::span<const double> weights) {
  REQUIRE(values.size() == labels.size(),
          "fit_class_link: values and labels must have the same length, got {} "
          "and {}.",
          values.size(), labels.size());
  REQUIRE(weights.empty() || weights.size() == values.size(),
          "fit_class_link: there must be one weight for each of the {} values "
          "or none, got {}.",
          values.size(), weights.size());
  const LinkScale scale = scale_of(values);
  const std::vector<LinkRow> rows = make_rows(values, labels, weights, scale);
  ClassLink link;
  double loss = loss_of(link, rows);
  for (int i = 0; i < kMaxSteps; ++i) {
    const ClassLink step = newton_step(link, rows);
    double share = 1;
    ClassLink next;
    double next_loss = 0;
    // Newton's step may overshoot; a shorter one always helps.
    for (; share > kMinStep; share /= 2) {
      next = {link.slope + share * step.slope,
              link.offset + share * step.offset};
      next_loss = loss_of(next, rows);
      if (next_loss < loss) break;
    }
    if (!(next_loss < loss)) break;
    link = next;
    loss = next_loss;
  }
  return {.slope = link.slope / scale.deviation,
          .offset = link.offset - link.slope * scale.mean / scale.deviation};
}

}  // namespace lamarck::law
