#include "lamarck/gp/gp_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lamarck/formula/exactness.h"
#include "lamarck/gp/extrapolation_trial.h"
#include "lamarck/gp/gp_moves.h"
#include "lamarck/gp/gp_normalise.h"
#include "lamarck/gp/gp_prune.h"
#include "lamarck/gp/gp_view.h"

namespace lamarck::gp {
namespace {

// A child whose score is worse than a bad member's by more than this many
// decades is not fitted further.
constexpr double kMaxScoreGap = 0.7;
constexpr double kMaxConstant = 1e7;
// Terms that cancel by more than this factor approximate the data numerically,
// but are not a law.
constexpr double kMaxCancellation = 500;
// The cost of a decade of cancellation, in decades of the error.
constexpr double kCancellationPrice = 0.3;
// Below this error only the size matters, so the model is pruned at once.
constexpr double kPruneBelow = 1e-21;
// A model whose error grows by more than this factor on more rows is
// overfitted.
constexpr double kMaxOverfitRatio = 50;

}  // namespace

bool GpArchive::wants(std::size_t size, double nmse) const {
  for (const auto& [known, find] : finds_) {
    if (known > size) break;
    if (find.plain.nmse <= nmse) return false;
  }
  return std::isfinite(nmse);
}

bool GpArchive::insert(GpFind find) {
  const std::size_t size = find.plain.size();
  const double nmse = find.plain.nmse;
  if (!wants(size, nmse)) return false;
  for (auto at = finds_.lower_bound(size); at != finds_.end();) {
    at = at->second.plain.nmse >= nmse ? finds_.erase(at) : std::next(at);
  }
  finds_[size] = std::move(find);
  return true;
}

double GpArchive::min_error() const {
  return finds_.empty() ? std::numeric_limits<double>::infinity()
                        : finds_.rbegin()->second.plain.nmse;
}

GpSearch::GpSearch(const GpData& data, const GpData& plain,
                   const GpLibrary& library, const GpOptions& options,
                   std::uint64_t first_tag)
    : data_(&data),
      plain_(&plain),
      library_(&library),
      options_(options),
      next_tag_(first_tag) {}

// In decades of the error, lower is better. The price of size keeps formulas
// from growing for small gains.
double GpSearch::score(const GpModel& model) const {
  return std::log10(std::max(model.nmse, options_.error_floor)) +
         options_.size_price * static_cast<double>(model.size()) +
         kCancellationPrice * std::log10(std::max(1.0, model.cancellation));
}

GpModel GpSearch::first_model(Rng& rng) {
  GpModel model;
  const std::size_t terms = 1 + rng.below(3);
  for (std::size_t t = 0; t < terms; ++t) {
    model.terms.push_back(
        library_->trees()[rng.below(library_->trees().size())]);
  }
  return model;
}

std::size_t GpSearch::tournament(Rng& rng, bool wants_worst) const {
  std::size_t chosen = rng.below(population_.size());
  for (std::size_t i = 1; i < options_.tournament; ++i) {
    const std::size_t other = rng.below(population_.size());
    const bool is_lower = population_[other].score < population_[chosen].score;
    if (is_lower != wants_worst) chosen = other;
  }
  return chosen;
}

const GpModel& GpSearch::choose_parent(Rng& rng) const {
  const auto& finds = natives_.finds();
  if (!finds.empty() && rng.chance(options_.archive_share)) {
    auto at = finds.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(rng.below(finds.size())));
    return at->second.native;
  }
  return population_[tournament(rng, false)].model;
}

void GpSearch::run(std::size_t trials, Rng& rng, const CancelToken& cancel) {
  std::vector<double> weights;
  for (const GpMove& move : gp_moves()) weights.push_back(move.weight);
  for (std::size_t i = 0; i < trials; ++i) {
    if (i % 16 == 0 && cancel.is_cancelled()) return;
    ++trials_;
    if (population_.size() < options_.population) {
      GpModel first = first_model(rng);
      normalize(first);
      consider(std::move(first), "first", rng);
      continue;
    }
    const GpModel& parent = choose_parent(rng);
    const GpModel& mate = population_[tournament(rng, false)].model;
    const GpMove& move = gp_moves()[rng.weighted_choice(weights)];
    GpMoveContext context{.data = *data_,
                          .library = *library_,
                          .options = options_,
                          .fitter = fitter_,
                          .mate = mate,
                          .rng = rng};
    std::optional<GpModel> child = move.apply(parent, context);
    if (!child) continue;
    normalize(*child);
    consider(std::move(*child), move.name, rng);
  }
}

void GpSearch::consider(GpModel child, std::string_view move, Rng& rng) {
  if (!is_allowed(child, options_)) return;
  const GpRows& rows = data_->subset();
  // A model with nearly as many constants as rows can fit anything.
  if (child.constants() > std::max<std::size_t>(2, rows.rows / 2)) return;
  // Most children are bad; two steps are enough to reject them cheaply.
  if (!fitter_.fit(child, rows, {.steps = 2})) return;
  const bool is_full = population_.size() >= options_.population;
  if (is_full) {
    const double worst = population_[tournament(rng, true)].score;
    if (score(child) > worst + kMaxScoreGap) return;
  }
  if (!fitter_.fit(child, rows, {.steps = options_.fit_steps - 2})) return;
  if (!is_bounded(child, *data_)) return;
  penalize_poor_extrapolation(child, *data_);
  const double child_score = score(child);
  offer(child, move);
  insert(std::move(child), child_score, rng);
}

bool GpSearch::is_bounded(const GpModel& model, const GpData& data) {
  if (model.cancellation > kMaxCancellation) return false;
  for (const GpTree& term : model.terms) {
    for (const GpNode& node : term) {
      if (node.op == formula::Op::Constant &&
          std::fabs(node.value) > kMaxConstant) {
        return false;
      }
    }
  }
  // Outside of the data a formula may be undefined, but not huge. A law may
  // have a pole there, and a nearly exact model is tested on its prediction of
  // the outer rows instead.
  const auto is_within = [&](const GpRows& rows, double bound,
                             bool allows_nan) {
    fitter_.values(model, rows, probe_values_);
    return std::all_of(probe_values_.begin(), probe_values_.end(),
                       [&](double z) {
                         const double y = data.unlinked(z);
                         if (std::isnan(y)) return allows_nan;
                         return std::fabs(y - data.target_mean()) <= bound;
                       });
  };
  if (!is_within(data.probes().inside, data.inside_bound(), false)) {
    return false;
  }
  const bool is_tested = model.nmse < kSuspicious && data.outer().rows > 0;
  return is_tested ||
         is_within(data.probes().beyond, data.beyond_bound(), true);
}

void GpSearch::penalize_poor_extrapolation(GpModel& model, const GpData& data) {
  if (model.nmse > kSuspicious || data.outer().rows == 0) return;
  GpModel inner = model;
  // The constants were fitted to the outer rows too. Perturbing them forces the
  // fit to find them again from the inner rows alone.
  double change = kPerturbation;
  for (GpTree& term : inner.terms) {
    for (GpNode& node : term) {
      if (node.op != formula::Op::Constant) continue;
      node.value *= 1 + change;
      change = -change;
    }
  }
  double error = std::numeric_limits<double>::infinity();
  if (fitter_.fit(inner, data.inner(), {.steps = 20})) {
    const GpRows& rows = data.outer();
    fitter_.values(inner, rows, probe_values_);
    error = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const double weight = rows.weight.data() == nullptr ? 1 : rows.weight[i];
      const double off = rows.target[i] - weight * probe_values_[i];
      error += off * off;
    }
    error /= rows.variance;
  }
  model.nmse = std::isfinite(error) ? std::max(model.nmse, error) : kSuspicious;
}

void GpSearch::insert(GpModel child, double child_score, Rng& rng) {
  if (population_.size() < options_.population) {
    population_.push_back({std::move(child), child_score});
    return;
  }
  // One member per structure keeps the population diverse.
  const std::uint64_t hash = structure_hash(child);
  for (Member& member : population_) {
    if (structure_hash(member.model) != hash) continue;
    if (child_score < member.score) {
      member = {std::move(child), child_score};
    }
    return;
  }
  Member& loser = population_[tournament(rng, true)];
  // A worse child now and then lets the search leave a local optimum.
  if (child_score < loser.score || rng.chance(0.02)) {
    loser = {std::move(child), child_score};
  }
}

void GpSearch::offer(GpModel& model, std::string_view move) {
  GpModel native = model;
  native.nmse = std::max(native.nmse, options_.error_floor);
  // An improvement of less than 2 % is not worth a full fit.
  GpModel margin = native;
  margin.nmse *= 1.02;
  if (!natives_.wants(native.size(), margin.nmse)) return;
  if (!fitter_.fit(native, data_->subset(), {.steps = 20}) ||
      !is_bounded(native, *data_)) {
    return;
  }
  penalize_poor_extrapolation(native, *data_);
  native.nmse = std::max(native.nmse, options_.error_floor);
  if (native.nmse < 0.9 * natives_.min_error()) last_progress_ = trials_;
  const std::uint64_t before = next_tag_;
  admit(plain_form(native, true), native, move);
  // With the link `log`, exponents are tried both rounded and as fitted.
  if (data_->link() == GpLink::Log) {
    admit(plain_form(native, false), native, move);
  }
  if (next_tag_ != before) model.ancestor = native.ancestor = next_tag_ - 1;
  natives_.insert(
      {.native = native, .plain = native, .move = std::string(move)});
}

GpModel GpSearch::plain_form(const GpModel& native, bool snaps) {
  GpModel model = unlinked(native, *data_, snaps);
  if (data_->view() == nullptr) return model;
  // The view needs the coefficients, which an unlinked model has lost.
  if (data_->link() != GpLink::Identity && !model.terms.empty()) {
    model.coefficients.assign(model.terms.size(), 1);
  }
  return seen_plainly(model, *data_->view());
}

bool GpSearch::admit(GpModel plain, const GpModel& native,
                     std::string_view move) {
  const std::size_t limit =
      std::max(options_.max_nodes, options_.max_plain_nodes);
  if (plain.terms.empty() || plain.size() > limit) return false;
  if (!fitter_.fit(plain, plain_->subset(), {.steps = 15})) return false;
  const double subset = std::max(plain.nmse, options_.error_floor);
  // The middle rows are many, so only promising models are fitted to them.
  if (!archive_.wants(plain.size(), subset)) return false;
  if (!fitter_.fit(plain, plain_->middle(), {.steps = 12})) return false;
  plain.nmse = std::max(plain.nmse, options_.error_floor);
  if (plain.nmse > kMaxOverfitRatio * subset &&
      plain.nmse > formula::kNearlyExactNmse)
    return false;
  if (!is_bounded(plain, *plain_)) return false;
  penalize_poor_extrapolation(plain, *plain_);
  if (plain.nmse < kPruneBelow) {
    GpModel small = pruned(plain, plain_->subset(), fitter_);
    if (small.size() < plain.size() &&
        fitter_.fit(small, plain_->middle(), {.steps = 12}) &&
        small.nmse < kPruneBelow && is_bounded(small, *plain_)) {
      penalize_poor_extrapolation(small, *plain_);
      small.nmse = std::max(small.nmse, options_.error_floor);
      plain = std::move(small);
    }
  }
  GpFind find{
      .native = native, .plain = std::move(plain), .move = std::string(move)};
  find.tag = next_tag_;
  find.parent = native.ancestor;
  if (!archive_.insert(find)) return false;
  ++next_tag_;
  std::erase_if(news_, [&](const GpFind& old) {
    return old.plain.size() >= find.plain.size() &&
           old.plain.nmse >= find.plain.nmse;
  });
  news_.push_back(std::move(find));
  return true;
}

void GpSearch::inject(const GpModel& plain) {
  GpModel model = plain;
  normalize(model);
  if (model.terms.empty()) return;
  if (!fitter_.fit(model, plain_->subset(), {.steps = 10})) return;
  if (data_->link() == GpLink::Identity && data_->view() == nullptr) {
    const double model_score = score(model);
    if (population_.size() < options_.population) {
      population_.push_back({model, model_score});
    } else {
      auto worst = std::max_element(
          population_.begin(), population_.end(),
          [](const Member& a, const Member& b) { return a.score < b.score; });
      *worst = {model, model_score};
    }
  }
  admit(model, model, "injected");
}

std::vector<GpFind> GpSearch::take_news() {
  std::sort(news_.begin(), news_.end(), [](const GpFind& a, const GpFind& b) {
    return a.plain.nmse < b.plain.nmse;
  });
  return std::exchange(news_, {});
}

}  // namespace lamarck::gp
