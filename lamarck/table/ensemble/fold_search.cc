#include "lamarck/table/ensemble/fold_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lamarck/base/thread_pool.h"
#include "lamarck/table/ensemble/fold_rows.h"
#include "lamarck/table/ensemble/member_choice.h"

namespace lamarck::table {
namespace {

using evolution::Examples;
using evolution::Loss;
using evolution::Network;
using evolution::TrainingOptions;

// Above one of these, there are no encodings.
constexpr std::size_t kMaxFeatures = 2000;
constexpr std::size_t kMaxFeatureNumbers = 50'000'000;  // In all rows.
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
        pool_(options.threads),
        splines_(fit_splines(known_.inputs)) {
    const std::size_t features = feature_count(splines_);
    if (features > kMaxFeatures ||
        features * known.rows() > kMaxFeatureNumbers) {
      splines_.clear();
    }
    Rng fold_rng = rng_.split("rows");
    folds_ = make_folds(known.rows(), choose_fold_count(known.rows()), labels,
                        fold_rng);
    for (const auto& fold : folds_) {
      outside_.push_back(rows_outside(fold, known.rows()));
    }
    limits_ = {.splines = splines_.size(),
               .l2 = 1 / static_cast<float>(known.rows()),
               .has_classes = head != Loss::MeanSquared,
               .max_units = max_units(known.rows())};
  }

  FoldOutcome run(const std::optional<Network>& evolved) {
    outcome_.folds = folds_.size();
    std::vector<TableDesign> designs = initial_designs(limits_);
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

  std::vector<TableDesign> make_children(std::int64_t generation) const {
    std::vector<const TableDesign*> parents;
    for (const FoldCandidate& each : outcome_.candidates) {
      if (each.design.origin != "evolved" && parents.size() < kParents) {
        parents.push_back(&each.design);
      }
    }
    const Rng own = rng_.split(static_cast<std::uint64_t>(generation));
    std::vector<TableDesign> children;
    const std::vector<TableDesign> fresh = initial_designs(limits_);
    for (std::size_t i = 0; i < kChildren; ++i) {
      Rng rng = own.split(i);
      if (parents.empty()) {
        children.push_back(mutated(fresh.front(), limits_, rng));
        continue;
      }
      const std::size_t first = rng.below(parents.size());
      const std::size_t second = rng.below(parents.size());
      children.push_back(
          mutated(*parents[std::min(first, second)], limits_, rng));
    }
    return children;
  }

  FoldJob make_job(const TableDesign& design, const Network* evolved) const {
    FoldJob job;
    job.candidate.design = design;
    if (design.origin == "evolved") {
      job.evolved = evolved;
      job.inputs = known_.inputs;
    } else {
      for (std::size_t i = 0; i < splines_.size(); ++i) {
        if (design.splines[i]) job.candidate.splines.push_back(splines_[i]);
      }
      job.inputs = with_features(known_.inputs, job.candidate.splines);
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
    const evolution::Trainer trainer(train, check);
    const auto trained = trainer.train(
        network, training_options(job, outside.size(), rng.bits()));
    job.steps[fold] = trained.steps;
    if (!trained.is_finite || trained.was_stopped) return false;
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
  std::vector<SplineInput> splines_;
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
