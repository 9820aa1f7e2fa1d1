#include "lamarck/table/ensemble/fold_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "lamarck/base/thread_pool.h"
#include "lamarck/table/ensemble/fold_rows.h"
#include "lamarck/table/ensemble/member_choice.h"
#include "lamarck/table/internal/linear_start.h"

namespace lamarck::table {
namespace {

using evolution::Examples;
using evolution::Loss;
using evolution::Network;
using evolution::TrainingOptions;

// Above one of these, there are no encodings.
constexpr std::size_t kMaxFeatures = 2000;
constexpr std::size_t kMaxFeatureNumbers = 50'000'000;  // In all rows.
// Above this, a design has at most the usual number of intervals.
constexpr std::size_t kMaxFineFeatures = 400;
// Importance is measured on at most this many numbers per fold.
constexpr std::size_t kMaxImportanceNumbers = 2'000'000;
constexpr std::size_t kMaxLinearProducts =
    1'000'000'000;                          // Of a linear solution.
constexpr std::size_t kMaxCandidates = 12;  // Kept for the ensemble.
constexpr std::size_t kParents = 6;
constexpr std::size_t kChildren = 2;  // Per generation.
constexpr double kMinGain = 1e-3;     // Relative, for a better ensemble.

std::size_t usual_epochs(std::size_t rows) {
  return std::clamp<std::size_t>(300'000 / rows, 8, 120);
}

// Few rows cannot make use of many units, and small models are easier to read.
std::uint32_t max_units(std::size_t rows) {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(std::bit_floor(rows / 4), 16, 256));
}

std::size_t usual_batch(std::size_t rows) {
  if (rows < 500) return 16;
  if (rows < 2'000) return 32;
  if (rows < 10'000) return 64;
  return rows < 40'000 ? 128 : 256;
}

Tensor select_rows(const Tensor& from, std::span<const std::size_t> rows) {
  const auto width = static_cast<std::size_t>(from.size(1));
  Tensor to = Tensor::uninitialized({static_cast<std::int64_t>(rows.size()),
                                     static_cast<std::int64_t>(width)});
  const float* source = from.begin_of_data();
  float* target = to.begin_of_data();
  for (const std::size_t row : rows) {
    target = std::copy_n(source + row * width, width, target);
  }
  return to;
}

Tensor select_weights(const Tensor& weights,
                      std::span<const std::size_t> rows) {
  if (weights.rank() == 0) return {};
  std::vector<float> chosen;
  for (const std::size_t row : rows) {
    chosen.push_back(weights.at({static_cast<std::int64_t>(row)}));
  }
  return Tensor::from({static_cast<std::int64_t>(chosen.size())}, chosen);
}

Tensor smoothed(const Tensor& targets, float share, Loss head) {
  if (share <= 0 || head == Loss::MeanSquared) return targets;
  Tensor result = targets.clone();
  const float even = head == Loss::BinaryCrossEntropy
                         ? 0.5f
                         : 1 / static_cast<float>(targets.size(1));
  for (float& value : result.data()) {
    value = (1 - share) * value + share * even;
  }
  return result;
}

// What one design needs for training on any fold.
struct FoldJob {
  FoldCandidate candidate;
  const Network* evolved = nullptr;  // Train this topology instead.
  Tensor inputs;                     // Of all rows.
  std::vector<std::int64_t> steps;   // Per fold.
  bool is_complete = true;
};

class FoldSearch {
 public:
  FoldSearch(const Examples& known, std::span<const std::size_t> labels,
             Loss head, const FoldSearchOptions& options)
      : known_{known.inputs.contiguous(), known.targets.contiguous(),
               known.weights},
        head_(head),
        options_(options),
        rng_(Rng(options.seed).split("folds")),
        pool_(options.threads) {
    fit_all_splines();
    make_all_folds(known.rows(), labels);
    limits_ = {.inputs = static_cast<std::size_t>(known_.inputs.size(1)),
               .splines = splines_.back().size(),
               .l2 = 1 / static_cast<float>(known.rows()),
               .has_classes = head != Loss::MeanSquared,
               .max_units = max_units(known.rows())};
  }

  FoldOutcome run(const std::optional<Network>& evolved) {
    outcome_.folds = folds_.size();
    std::vector<TableDesign> designs = first_designs();
    if (evolved) designs.push_back({.origin = "evolved"});
    if (designs.size() > options_.max_designs) {
      designs.resize(options_.max_designs);
    }
    for (std::int64_t generation = 0; !is_over(); ++generation) {
      if (generation > 0) designs = make_children(generation);
      train(designs, generation, evolved ? &*evolved : nullptr);
      if (outcome_.candidates.empty()) continue;
      choose();
      if (options_.is_good_enough && options_.is_good_enough(outcome_)) {
        outcome_.reason = "good";
        break;
      }
    }
    return std::move(outcome_);
  }

 private:
  bool is_over() {
    if (options_.should_stop && options_.should_stop()) {
      outcome_.reason = "stopped";
    } else if (outcome_.designs >=
               static_cast<std::int64_t>(options_.max_designs)) {
      outcome_.reason = "designs";
    } else if (flat_ >= options_.flat_designs) {
      outcome_.reason = "flat";
    }
    return !outcome_.reason.empty();
  }

  void make_all_folds(std::size_t rows, std::span<const std::size_t> labels) {
    const std::size_t count = choose_fold_count(rows);
    if (options_.is_series) {
      folds_ = make_blocks(rows, count);
      // A large gap would leave too few rows to train on.
      const std::size_t gap = std::min(options_.gap, rows / 8);
      for (const auto& fold : folds_) {
        outside_.push_back(rows_away_from(fold, rows, gap));
      }
      return;
    }
    Rng fold_rng = rng_.split("rows");
    folds_ = make_folds(rows, count, labels, fold_rng);
    for (const auto& fold : folds_) {
      outside_.push_back(rows_outside(fold, rows));
    }
  }

  void fit_all_splines() {
    splines_.resize(kSplineBins.size());
    for (std::size_t level = 0; level < kSplineBins.size(); ++level) {
      splines_[level] = fit_splines(known_.inputs, kSplineBins[level]);
      const std::size_t features = feature_count(splines_[level]);
      if (kSplineBins[level] <= kUsualSplineBins &&
          (features > kMaxFeatures ||
           features * known_.rows() > kMaxFeatureNumbers)) {
        splines_.assign(kSplineBins.size(), {});
        return;
      }
    }
  }

  // The splines that a design uses.
  std::vector<SplineInput> splines_of(const TableDesign& design) const {
    const auto level = static_cast<std::size_t>(
        std::ranges::find(kSplineBins, design.bins) - kSplineBins.begin());
    // The finest level has all inputs that another one has.
    std::vector<bool> is_on(design.inputs.size(), false);
    for (std::size_t i = 0; i < design.splines.size(); ++i) {
      const std::size_t input = splines_.back()[i].input;
      is_on[input] = design.splines[i] && design.inputs[input];
    }
    std::vector<SplineInput> used;
    for (const SplineInput& each : splines_[level]) {
      if (is_on[each.input]) used.push_back(each);
    }
    return used;
  }

  // Replaces fine encodings by usual ones if they would be slow to train.
  TableDesign within_limits(TableDesign design) const {
    const std::size_t features = feature_count(splines_of(design));
    if (features > kMaxFineFeatures ||
        features * known_.rows() > kMaxFeatureNumbers) {
      design.bins = std::min(design.bins, kUsualSplineBins);
    }
    return design;
  }

  std::vector<TableDesign> first_designs() const {
    std::vector<TableDesign> designs;
    for (TableDesign& each : initial_designs(limits_)) {
      TableDesign design = within_limits(std::move(each));
      if (std::ranges::find(designs, design) == designs.end()) {
        designs.push_back(std::move(design));
      }
    }
    return designs;
  }

  std::vector<TableDesign> make_children(std::int64_t generation) {
    std::vector<FoldCandidate*> parents;
    for (FoldCandidate& each : outcome_.candidates) {
      if (each.design.origin != "evolved" && parents.size() < kParents) {
        parents.push_back(&each);
      }
    }
    const Rng own = rng_.split(static_cast<std::uint64_t>(generation));
    std::vector<TableDesign> children;
    const std::vector<TableDesign> fresh = initial_designs(limits_);
    for (std::size_t i = 0; i < kChildren; ++i) {
      Rng rng = own.split(i);
      if (parents.empty()) {
        children.push_back(
            within_limits(mutated(fresh.front(), limits_, {}, rng)));
        continue;
      }
      const std::size_t first = rng.below(parents.size());
      const std::size_t second = rng.below(parents.size());
      FoldCandidate& parent = *parents[std::min(first, second)];
      if (parent.importance.empty()) measure_importance(parent);
      children.push_back(within_limits(
          mutated(parent.design, limits_, parent.importance, rng)));
    }
    return children;
  }

  // Fills `importance` by shuffling the values of each column within the rows
  // of each fold.
  void measure_importance(FoldCandidate& candidate) {
    const std::vector<std::size_t>& columns = candidate.inputs;
    candidate.importance.assign(limits_.inputs, 0.0);
    std::vector<double> losses(columns.size() + 1, 0.0);
    pool_.parallel_for(losses.size(), [&](std::size_t i) {
      Rng rng = rng_.split("importance").split(i);
      for (std::size_t fold = 0; fold < folds_.size(); ++fold) {
        losses[i] += shuffled_loss(candidate, fold, i, rng);
      }
    });
    for (std::size_t i = 0; i < columns.size(); ++i) {
      candidate.importance[columns[i]] = losses[i] - losses.back();
    }
  }

  // The sum of the losses of a fold's rows, if the column is one of those that
  // the candidate uses with its values shuffled.
  double shuffled_loss(const FoldCandidate& candidate, std::size_t fold,
                       std::size_t column, Rng& rng) const {
    const std::vector<std::size_t>& all = folds_[fold];
    const auto width = static_cast<std::size_t>(known_.inputs.size(1));
    const std::size_t count =
        std::min(all.size(), 1 + kMaxImportanceNumbers / (width * width));
    const std::span<const std::size_t> rows(all.data(), count);
    Tensor inputs = select_rows(known_.inputs, rows);
    if (column < candidate.inputs.size()) {
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      rng.shuffle(order);
      const std::size_t at = candidate.inputs[column];
      for (std::size_t i = 0; i < count; ++i) {
        inputs.begin_of_data()[i * width + at] =
            known_.inputs.begin_of_data()[rows[order[i]] * width + at];
      }
    }
    const Examples shuffled{
        with_features(inputs, candidate.inputs, candidate.splines),
        select_rows(known_.targets, rows),
        select_weights(known_.weights, rows)};
    const Tensor logits = to_logits(
        evolution::predict(candidate.members[fold], shuffled.inputs), head_);
    return static_cast<double>(count) * logit_loss(logits, shuffled, head_);
  }

  FoldJob make_job(const TableDesign& design, const Network* evolved) const {
    FoldJob job;
    job.candidate.design = design;
    for (std::size_t i = 0; i < limits_.inputs; ++i) {
      if (design.inputs.empty() || design.inputs[i]) {
        job.candidate.inputs.push_back(i);
      }
    }
    if (design.origin == "evolved") {
      job.evolved = evolved;
      job.inputs = known_.inputs;
    } else {
      job.candidate.splines = splines_of(design);
      job.inputs = with_features(known_.inputs, job.candidate.inputs,
                                 job.candidate.splines);
    }
    job.candidate.members.resize(folds_.size());
    job.candidate.logits = Tensor::zeros(known_.targets.shape());
    job.steps.assign(folds_.size(), 0);
    return job;
  }

  void train(const std::vector<TableDesign>& designs, std::int64_t generation,
             const Network* evolved) {
    std::vector<FoldJob> jobs;
    for (const TableDesign& design : designs) {
      jobs.push_back(make_job(design, evolved));
    }
    const Rng own =
        rng_.split("training").split(static_cast<std::uint64_t>(generation));
    // Byte by byte: the entries of vector<bool> share memory.
    std::vector<char> is_done(jobs.size() * folds_.size(), 0);
    pool_.parallel_for(is_done.size(), [&](std::size_t i) {
      if (options_.should_stop && options_.should_stop()) return;
      is_done[i] =
          train_fold(jobs[i / folds_.size()], i % folds_.size(), own.split(i))
              ? 1
              : 0;
    });
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto done =
          std::span(is_done).subspan(i * folds_.size(), folds_.size());
      for (const std::int64_t steps : jobs[i].steps) outcome_.steps += steps;
      if (std::ranges::count(done, 1) !=
          static_cast<std::ptrdiff_t>(done.size())) {
        continue;
      }
      FoldCandidate& candidate = jobs[i].candidate;
      candidate.loss = logit_loss(candidate.logits, known_, head_);
      ++outcome_.designs;
      ++flat_;
      if (std::isfinite(candidate.loss)) {
        outcome_.candidates.push_back(std::move(candidate));
      }
    }
    std::ranges::stable_sort(outcome_.candidates, {}, &FoldCandidate::loss);
    if (outcome_.candidates.size() > kMaxCandidates) {
      outcome_.candidates.resize(kMaxCandidates);
    }
  }

  TrainingOptions training_options(const FoldJob& job, std::size_t rows,
                                   std::uint64_t seed) const {
    const TableDesign& design = job.candidate.design;
    const auto epochs = static_cast<std::size_t>(std::max(
        1.0,
        std::round(static_cast<double>(usual_epochs(rows)) * design.epochs)));
    return {
        .context = {.convergence = {.loss_tolerance = 0, .grad_tolerance = 0},
                    .should_stop = options_.should_stop,
                    .seed = seed},
        .method = evolution::TrainingMethod::Adam,
        .max_steps = 800,
        .epochs = epochs,
        .batch = usual_batch(rows),
        .layer_rate = design.rate,
        .l2 = job.evolved != nullptr ? limits_.l2 : design.l2,
        .flat_epochs = std::max<std::size_t>(8, epochs / 4)};
  }

  Network untrained(const FoldJob& job, Rng& rng) const {
    if (job.evolved == nullptr) {
      return make_network(
          job.candidate.design, static_cast<std::size_t>(job.inputs.size(1)),
          static_cast<std::size_t>(known_.targets.size(1)), head_, rng);
    }
    Network network = *job.evolved;
    network.parameters().forget_gradients();
    std::ranges::fill(network.parameters().values, 0.0f);
    for (const auto& edge : network.edges()) {
      evolution::draw_weights(network, edge, rng);
    }
    return network;
  }

  // Whether solving for the weights is possible and faster than training.
  bool has_exact_solution(const FoldJob& job, const Network& network,
                          std::size_t rows) const {
    const std::size_t width = network.input_width();
    return head_ == Loss::MeanSquared && job.evolved == nullptr &&
           is_linear(network) && rows * width * width <= kMaxLinearProducts;
  }

  // Returns whether the training was finished with finite outputs.
  bool train_fold(FoldJob& job, std::size_t fold, Rng rng) const {
    const std::vector<std::size_t>& inside = folds_[fold];
    const std::vector<std::size_t>& outside = outside_[fold];
    const Examples train{select_rows(job.inputs, outside),
                         smoothed(select_rows(known_.targets, outside),
                                  job.candidate.design.smoothing, head_),
                         select_weights(known_.weights, outside)};
    const Examples check{select_rows(job.inputs, inside),
                         select_rows(known_.targets, inside),
                         select_weights(known_.weights, inside)};
    Network network = untrained(job, rng);
    if (has_exact_solution(job, network, outside.size())) {
      start_linear(network, train, double{job.candidate.design.l2});
    } else {
      const evolution::Trainer trainer(train, check);
      const auto trained = trainer.train(
          network, training_options(job, outside.size(), rng.bits()));
      job.steps[fold] = trained.steps;
      if (!trained.is_finite || trained.was_stopped) return false;
    }
    network.parameters().forget_gradients();
    const Tensor logits =
        to_logits(evolution::predict(network, check.inputs), head_);
    const auto width = static_cast<std::size_t>(logits.size(1));
    for (std::size_t i = 0; i < inside.size(); ++i) {
      std::copy_n(logits.begin_of_data() + i * width, width,
                  job.candidate.logits.begin_of_data() + inside[i] * width);
    }
    job.candidate.members[fold] = std::move(network);
    return true;
  }

  void choose() {
    std::vector<Tensor> logits;
    for (const FoldCandidate& each : outcome_.candidates) {
      logits.push_back(each.logits);
    }
    outcome_.counts = choose_members(logits, known_, head_);
    const Tensor mean = mean_logits(logits, outcome_.counts);
    outcome_.loss = logit_loss(mean, known_, head_);
    if (outcome_.outputs.rank() == 0 ||
        outcome_.loss < best_ * (1 - kMinGain)) {
      best_ = outcome_.loss;
      flat_ = 0;
    }
    outcome_.outputs = to_outputs(mean, head_);
  }

  Examples known_;
  Loss head_;
  const FoldSearchOptions& options_;
  Rng rng_;
  ThreadPool pool_;
  std::vector<std::vector<SplineInput>> splines_;  // By kSplineBins.
  std::vector<std::vector<std::size_t>> folds_;
  std::vector<std::vector<std::size_t>> outside_;  // Of each fold.
  DesignLimits limits_;
  double best_ = 0;
  std::size_t flat_ = 0;  // Designs since the last better ensemble.
  FoldOutcome outcome_;
};

}  // namespace

FoldOutcome search_folds(const Examples& known,
                         std::span<const std::size_t> labels, Loss head,
                         const std::optional<Network>& evolved,
                         const FoldSearchOptions& options) {
  return FoldSearch(known, labels, head, options).run(evolved);
}

}  // namespace lamarck::table
