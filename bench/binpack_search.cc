// Evolves rules for online bin packing without a language model. Rules evolve
// from best fit on instances drawn like the OR-Library's first set (OR1), are
// selected on other such instances, and are measured on yet others and on OR1
// itself, which takes no part in the selection.
//
//   binpack_search [OR1-FILE] [SEEDS] [EVALUATIONS]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/tree_engine.h"
#include "lamarck/problems/packing_evaluator.h"

using namespace lamarck;
using namespace lamarck::archipelago;
using namespace lamarck::problems;

namespace {

constexpr std::size_t kTrainInstances = 240;
constexpr std::size_t kChoiceInstances = 2000;
constexpr std::size_t kHeldOutInstances = 10'000;
constexpr std::size_t kCandidatesPerIsland = 20;

using EvaluatorPtr = std::shared_ptr<const PackingEvaluator>;

EvaluatorPtr generated(std::size_t instances, Rng rng, std::size_t slices) {
  return PackingEvaluator::make(uniform_packing({.instances = instances}, rng),
                                {.slices = slices})
      .value();
}

SkeletonPtr rule(const char* source) {
  return std::make_shared<FormulaSkeleton>(
      formula::parse_python(source, "priority").value());
}

const char* const kFirstFit = "def priority(item, bins):\n    return 0.0\n";
const char* const kBestFit =
    "def priority(item, bins):\n    return item - bins\n";
// The rule that FunSearch published for OR1: thresholds of the remaining space.
const char* const kFunSearch =
    "def priority(item, bins):\n"
    "    rest = bins - item\n"
    "    wide = np.where(rest <= 15, 0.97, np.where(rest <= 21, 0.98, 0.99))\n"
    "    high = np.where(rest <= 9, 0.9, np.where(rest <= 12, 0.95, wide))\n"
    "    near = np.where(rest <= 5, 2.0, np.where(rest <= 7, 1.0, high))\n"
    "    return np.where(rest <= 2, 4.0, np.where(rest <= 3, 3.0, near))\n";

struct Tests {
  EvaluatorPtr choice;
  EvaluatorPtr held_out;
  EvaluatorPtr or1;  // Null if the file was not given.

  double or1_percent(const Skeleton& skeleton) const {
    return or1 == nullptr ? 0 : 100 * or1->excess(skeleton).value();
  }
  double held_out_percent(const Skeleton& skeleton) const {
    return 100 * held_out->excess(skeleton).value();
  }
};

EvolverOptions evolver_options(std::uint64_t seed, std::int64_t evaluations) {
  EvolverOptions options{.seed = seed};
  options.reset_period.evaluations = 10'000;
  options.island.temperature = 0.03;
  options.island.max_functions = 1000;
  options.budget.evaluations = evaluations;
  return options;
}

gp::TreeOptions tree_options() {
  gp::TreeOptions options;
  // The capacity, the range of the item sizes, and their halves.
  options.constants.hints = {150, 100, 75, 50, 20, 10, 2, 1, 0.5};
  return options;
}

// The best rules of every island by their training score.
std::vector<FunctionPtr> candidates(const Evolver& evolver) {
  std::vector<FunctionPtr> all;
  for (const auto& island : evolver.islands()) {
    std::vector<FunctionPtr> own;
    for (const auto& [signature, cluster] : island->clusters()) {
      own.push_back(cluster.best_fn());
    }
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) {
      return a->score() > b->score();
    });
    own.resize(std::min(own.size(), kCandidatesPerIsland));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

struct Found {
  FunctionPtr rule;
  double choice = 0;
  double held_out = 0;
  double or1 = 0;
  double per_second = 0;
};

Found search(std::uint64_t seed, std::int64_t evaluations, const Tests& tests) {
  const auto begin = std::chrono::steady_clock::now();
  const EvaluatorPtr train =
      generated(kTrainInstances, Rng(seed).split("train"), 8);
  Evolver evolver(
      evolver_options(seed, evaluations),
      {.engine = gp::TreeEngine::create(train, tree_options()).value(),
       .evaluator = train,
       .first = {rule(kBestFit)}});
  const EvolverOutcome outcome = evolver.run().value();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  Found best{.choice = 1e9};
  for (const FunctionPtr& each : candidates(evolver)) {
    const double percent =
        100 * tests.choice->excess(*each->skeleton()).value();
    if (percent >= best.choice) continue;
    best.rule = each;
    best.choice = percent;
  }
  const Skeleton& skeleton = *best.rule->skeleton();
  best.held_out = tests.held_out_percent(skeleton);
  best.or1 = tests.or1_percent(skeleton);
  best.per_second = static_cast<double>(outcome.counts.evaluations) / seconds;
  return best;
}

void print_row(const char* name, const Skeleton& skeleton, const Tests& tests) {
  std::printf("%-12s %6.2f %%          %6.2f %%\n", name,
              tests.held_out_percent(skeleton), tests.or1_percent(skeleton));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

void report(const std::vector<Found>& all) {
  std::vector<double> held_out;
  std::vector<double> or1;
  for (const Found& found : all) {
    held_out.push_back(found.held_out);
    or1.push_back(found.or1);
  }
  std::printf("%-12s %6.2f %%          %6.2f %%\n", "median", median(held_out),
              median(or1));
  const Found& best = *std::min_element(
      all.begin(), all.end(),
      [](const Found& a, const Found& b) { return a.choice < b.choice; });
  std::printf("%-12s %6.2f %%          %6.2f %%   (best of all seeds)\n\n%s\n",
              "chosen", best.held_out, best.or1,
              best.rule->skeleton()->source().c_str());
}

Result<EvaluatorPtr> read_or1(const char* path) {
  ASSIGN_OR_RETURN(const std::string text, read_file(path));
  ASSIGN_OR_RETURN(auto instances, parse_packing(text));
  return PackingEvaluator::make(std::move(instances), {.slices = 1});
}

}  // namespace

int main(int count, char** arguments) {
  Tests tests{.choice = generated(kChoiceInstances, Rng(98), 1),
              .held_out = generated(kHeldOutInstances, Rng(99), 1),
              .or1 = nullptr};
  const auto file = read_or1(count > 1 ? arguments[1] : "binpack1.txt");
  if (file) {
    tests.or1 = *file;
  } else {
    std::printf("OR1 is skipped: %s\n", file.error().message().c_str());
  }
  const std::uint64_t seeds =
      count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 5;
  const std::int64_t evaluations =
      count > 3 ? std::strtoll(arguments[3], nullptr, 10) : 100'000;
  std::printf("excess       generated, unseen   OR1\n");
  print_row("first fit", *rule(kFirstFit), tests);
  print_row("best fit", *rule(kBestFit), tests);
  print_row("FunSearch's", *rule(kFunSearch), tests);
  std::vector<Found> all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    all.push_back(search(seed, evaluations, tests));
    const Found& found = all.back();
    std::printf(
        "seed %-7lu %6.2f %%          %6.2f %%   (train %.2f, choice %.2f, "
        "%zu nodes, %.0f rules/s)\n",
        static_cast<unsigned long>(seed), found.held_out, found.or1,
        -found.rule->score(), found.choice, found.rule->skeleton()->size(),
        found.per_second);
    std::fflush(stdout);
  }
  if (!all.empty()) report(all);
}
