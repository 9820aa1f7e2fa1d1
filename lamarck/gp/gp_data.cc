#include "lamarck/gp/gp_data.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/block_kernels.h"
#include "lamarck/formula/block_sums.h"
#include "lamarck/gp/extrapolation_trial.h"
#include "lamarck/gp/gp_view.h"

namespace lamarck::gp {
namespace {

constexpr std::size_t kProbes = 256;
// How much wider the box of the outer probes is on each side, as a share of the
// range of the input.
constexpr double kWidening = 0.4;
// With fewer outer rows the extrapolation test says little.
constexpr std::size_t kMinOuterRows = 8;

double linked(GpLink link, double y) {
  switch (link) {
    case GpLink::Identity:
      return y;
    case GpLink::Log:
      return std::log(y);
    case GpLink::Inverse:
      return 1 / y;
    case GpLink::Square:
      return y * y;
    case GpLink::Root:
      return std::sqrt(y);
    case GpLink::InverseSquare:
      return 1 / (y * y);
    case GpLink::InverseRoot:
      return 1 / std::sqrt(y);
  }
  return y;
}

// |dy/dz| at y > 0.
double link_slope(GpLink link, double y) {
  switch (link) {
    case GpLink::Identity:
      return 1;
    case GpLink::Log:
      return y;
    case GpLink::Inverse:
      return y * y;
    case GpLink::Square:
      return 1 / (2 * y);
    case GpLink::Root:
      return 2 * std::sqrt(y);
    case GpLink::InverseSquare:
      return y * y * y / 2;
    case GpLink::InverseRoot:
      return 2 * y * std::sqrt(y);
  }
  return 1;
}

// Returns all rows if there are at most `count`, else a random sample.
std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t count,
                                     Rng& rng) {
  std::vector<std::size_t> indices;
  if (rows <= count) {
    indices.resize(rows);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
  }
  // At random, because evenly spaced rows could alias with a periodic signal.
  return rng.sample(rows, count);
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::string_view gp_link_name(GpLink link) {
  constexpr std::array<std::string_view, kGpLinks.size()> kNames = {
      "identity",       "log",         "inverse", "square", "root",
      "inverse_square", "inverse_root"};
  return kNames[static_cast<std::size_t>(link)];
}

std::size_t padded_rows(std::size_t rows) {
  return (rows + formula::kBlockStep - 1) / formula::kBlockStep *
         formula::kBlockStep;
}

void GpColumn::Free::operator()(double* values) const { std::free(values); }

GpColumn::GpColumn(std::size_t rows) {
  const std::size_t bytes =
      (std::max<std::size_t>(padded_rows(rows), 8) * sizeof(double) + 63) / 64 *
      64;
  auto* memory = static_cast<double*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::fill_n(memory, bytes / sizeof(double), 0.0);
  values_.reset(memory);
}

GpColumn::GpColumn(const std::vector<double>& values)
    : GpColumn(values.size()) {
  std::copy(values.begin(), values.end(), values_.get());
  for (std::size_t i = values.size(); i < padded_rows(values.size()); ++i) {
    values_[i] = values.empty() ? 0 : values[0];
  }
}

bool GpData::is_possible(const RegressionProblem& problem, GpLink link) {
  if (link == GpLink::Identity) return true;
  const auto [low, high] =
      std::minmax_element(problem.target.begin(), problem.target.end());
  if (*low <= 0 && *high >= 0) return false;
  // Values close to 0 would get weights that hide all other rows.
  const double smallest = std::min(std::fabs(*low), std::fabs(*high));
  const double largest = std::max(std::fabs(*low), std::fabs(*high));
  return smallest > 1e-12 * largest;
}

GpData::GpData(const RegressionProblem& problem, GpLink link,
               const GpDataOptions& options, Rng rng, const GpData* known)
    : link_(link) {
  prepare(problem, options, rng, known, nullptr);
}

GpData::GpData(const ViewedProblem& viewed, GpLink link,
               const GpDataOptions& options, Rng rng, const GpData* known)
    : link_(link), view_(&viewed.view) {
  prepare(viewed.problem, options, rng, known,
          viewed.factor.empty() ? nullptr : &viewed.factor);
}

void GpData::prepare(const RegressionProblem& problem,
                     const GpDataOptions& options, Rng rng, const GpData* known,
                     const std::vector<double>* factor) {
  const GpLink link = link_;
  ENSURE(is_possible(problem, link),
         "the target has one sign, as the link needs");
  if (link != GpLink::Identity && problem.target[0] < 0) sign_ = -1;
  if (known == nullptr) {
    describe_inputs(problem);
  } else {
    inputs_ = known->inputs_;
  }
  describe_target(problem);
  subset_ = gather_rows(problem,
                        sample_rows(problem.rows(), options.subset_rows, rng),
                        nullptr, factor);
  const std::vector<std::size_t> middle =
      sample_rows(problem.rows(), options.middle_rows, rng);
  middle_ = gather_rows(problem, middle, nullptr, factor);
  split_rows(problem, middle, factor);
  draw_probes(rng);
}

GpData::GpData(const RegressionProblem& problem,
               const std::vector<double>& extra, const GpDataOptions& options,
               Rng rng) {
  describe_inputs(problem);
  describe_target(problem);
  subset_ = gather_rows(
      problem, sample_rows(problem.rows(), options.subset_rows, rng), &extra);
  middle_ = gather_rows(
      problem, sample_rows(problem.rows(), options.middle_rows, rng), &extra);
  draw_probes(rng);
  // The scale of a factor is unknown, so the bounds only exclude extreme
  // values.
  inside_bound_ = beyond_bound_ = 1e12;
}

void GpData::describe_inputs(const RegressionProblem& problem) {
  for (const std::vector<double>& column : problem.inputs) {
    std::vector<double> sorted = column;
    std::sort(sorted.begin(), sorted.end());
    GpInput input;
    input.low = sorted.front();
    input.high = sorted.back();
    input.mean = mean_of(column);
    input.deviation = std::sqrt(
        formula::squared_distance(column.data(), input.mean, column.size()) /
        static_cast<double>(column.size()));
    if (!(input.deviation > 0)) input.deviation = 1;
    for (std::size_t i = 0; i <= 32; ++i) {
      input.quantiles.push_back(sorted[i * (sorted.size() - 1) / 32]);
    }
    inputs_.push_back(std::move(input));
  }
}

void GpData::describe_target(const RegressionProblem& problem) {
  mean_ = mean_of(problem.target);
  deviation_ = std::sqrt(
      formula::squared_distance(problem.target.data(), mean_, problem.rows()) /
      static_cast<double>(problem.rows()));
  if (!(deviation_ > 0)) deviation_ = 1;
  double span = 0;
  for (const double y : problem.target) {
    span = std::max(span, std::fabs(y - mean_));
  }
  inside_bound_ = 5 * span;
  beyond_bound_ = 20 * span;
}

GpRows GpData::gather_rows(const RegressionProblem& problem,
                           const std::vector<std::size_t>& indices,
                           const std::vector<double>* extra,
                           const std::vector<double>* factor) const {
  GpRows result;
  result.rows = indices.size();
  const auto gathered = [&](const std::vector<double>& values) {
    std::vector<double> some;
    some.reserve(indices.size());
    for (const std::size_t index : indices) some.push_back(values[index]);
    return some;
  };
  for (const auto& column : problem.inputs) {
    result.inputs.emplace_back(gathered(column));
  }
  std::vector<double> target = gathered(problem.target);
  std::vector<double> y = target;
  std::vector<double> factors(target.size(), 1.0);
  if (factor != nullptr) {
    factors = gathered(*factor);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= factors[i];
  }
  const std::vector<double> shares =
      problem.weights.empty() ? problem.weights : gathered(problem.weights);
  result.variance =
      shares.empty() ? formula::squared_distance(y.data(), mean_of(y), y.size())
                     : squared_spread(y, shares);
  if (!(result.variance > 0)) result.variance = 1e-300;
  std::vector<double> weight;  // Empty: all rows count the same.
  if (extra != nullptr) {
    weight = gathered(*extra);
  } else if (link_ != GpLink::Identity) {
    for (std::size_t i = 0; i < target.size(); ++i) {
      const double size = std::fabs(target[i]);
      weight.push_back(link_slope(link_, size) * std::fabs(factors[i]));
      target[i] = linked(link_, size) * weight.back();
    }
  } else if (factor != nullptr) {
    target = y;
    weight = factors;
  }
  // The weights of the rows are those of squares.
  if (!shares.empty()) weight.resize(shares.size(), 1.0);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double root = std::sqrt(shares[i]);
    weight[i] *= root;
    target[i] *= root;
  }
  if (!weight.empty()) result.weight = GpColumn(weight);
  result.target = GpColumn(target);
  return result;
}

void GpData::split_rows(const RegressionProblem& problem,
                        const std::vector<std::size_t>& rows,
                        const std::vector<double>* factor) {
  // The distance of each row from the middle of the data: the largest over all
  // inputs, measured in quantiles, so that the scale of an input does not
  // matter.
  std::vector<std::pair<double, std::size_t>> distances;
  for (const std::size_t row : rows) {
    double farthest = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::vector<double>& q = inputs_[i].quantiles;
      const auto place =
          std::lower_bound(q.begin(), q.end(), problem.inputs[i][row]);
      const double share = static_cast<double>(place - q.begin()) /
                           static_cast<double>(q.size() - 1);
      farthest = std::max(farthest, std::fabs(2 * share - 1));
    }
    distances.emplace_back(farthest, row);
  }
  std::sort(distances.begin(), distances.end());
  std::vector<std::size_t> inner;
  std::vector<std::size_t> outer;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const bool is_inner =
        static_cast<double>(i) < kInnerShare * static_cast<double>(rows.size());
    (is_inner ? inner : outer).push_back(distances[i].second);
  }
  if (outer.size() < kMinOuterRows) return;
  inner_ = gather_rows(problem, inner, nullptr, factor);
  outer_ = gather_rows(problem, outer, nullptr, factor);
}

void GpData::draw_probes(Rng& rng) {
  const auto draw = [&](double widening) {
    GpRows rows;
    rows.rows = kProbes;
    for (const GpInput& input : inputs_) {
      const double more = widening * (input.high - input.low);
      double low = input.low - more;
      double high = input.high + more;
      // An input that is always positive, such as a mass or a distance, stays
      // positive; likewise for negative inputs.
      if (input.low > 0 && widening > 0) low = std::max(low, input.low / 1.5);
      if (input.high < 0 && widening > 0) {
        high = std::min(high, input.high / 1.5);
      }
      if (input.low == 0 && widening > 0) low = 0;
      std::vector<double> values;
      for (std::size_t i = 0; i < kProbes; ++i) {
        values.push_back(rng.uniform(low, high));
      }
      rows.inputs.emplace_back(values);
    }
    return rows;
  };
  probes_.inside = draw(0);
  probes_.beyond = draw(kWidening);
}

double GpData::unlinked(double z) const {
  switch (link_) {
    case GpLink::Identity:
      return z;
    case GpLink::Log:
      return sign_ * std::exp(z);
    case GpLink::Inverse:
      return sign_ / z;
    case GpLink::Square:
      return sign_ * std::sqrt(z);
    case GpLink::Root:
      return sign_ * z * z;
    case GpLink::InverseSquare:
      return sign_ / std::sqrt(z);
    case GpLink::InverseRoot:
      return sign_ / (z * z);
  }
  return z;
}

}  // namespace lamarck::gp
