// Evolves layers for MNIST from a single matrix, and compares them with a
// 784-128-10 network that is trained repeatedly for the same time. Both learn
// from the first 50,000 rows and are selected on the next 10,000 (the check
// rows); the test rows take no part in the selection.
//
//   layer_search FOLDER [SECONDS] [SEED] [PICTURE.svg]

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/thread_pool.h"
#include "lamarck/data/data_loader.h"
#include "lamarck/data/metrics.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/optim/schedule.h"
#include "lamarck/report/network_picture.h"
#include "bench/mnist_files.h"

using namespace lamarck;

namespace {

using Time = std::chrono::steady_clock;

constexpr std::int64_t kLearnRows = 50'000;
constexpr std::int64_t kBatch = 64;
constexpr int kBaselineEpochs = 10;

data::Dataset rows_between(const data::Dataset& all, std::int64_t begin,
                           std::int64_t end) {
  return data::Dataset(all.inputs().slice(0, begin, end).clone(),
                       all.targets().slice(0, begin, end).clone());
}

struct Parts {
  data::Dataset learn;
  data::Dataset check;
  data::Dataset test;
};

Result<Parts> read_parts(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const data::Dataset digits, read_mnist(folder, "train"));
  ASSIGN_OR_RETURN(data::Dataset test, read_mnist(folder, "t10k"));
  const auto count = static_cast<std::int64_t>(digits.size());
  return Parts{.learn = rows_between(digits, 0, kLearnRows),
               .check = rows_between(digits, kLearnRows, count),
               .test = std::move(test)};
}

// ---- Evolution

void print_event(const evolution::EvolutionEvent& event) {
  if (const auto* kept = std::get_if<evolution::MutationKept>(&event)) {
    std::fprintf(stderr, "          %s: loss %.5f, check %.4f\n",
                 kept->payload.mutation.c_str(), kept->payload.loss,
                 kept->payload.score);
  }
  if (const auto* done = std::get_if<evolution::GenerationDone>(&event)) {
    const auto& payload = done->payload;
    std::fprintf(stderr,
                 "%6.0f s  generation %3ld  candidates %3ld  loss %.5f  "
                 "check %.4f  layers %zu\n",
                 payload.seconds, static_cast<long>(payload.generation),
                 static_cast<long>(payload.evaluations), payload.best_loss,
                 payload.best_score, payload.hidden_nodes);
  }
}

evolution::EvolutionResult search(const Parts& parts, double seconds,
                                  std::uint64_t seed) {
  evolution::EvolutionOptions options{.seed = seed,
                                      .target_metric = INFINITY,
                                      .grain = evolution::Grain::Layer};
  options.limits.max_hidden = 1 << 16;
  options.min_evidence = 1;
  options.budget.seconds = seconds;
  evolution::Evolution evolution{
      .network = evolution::minimal_layers(
          {.channels = 1, .height = 28, .width = 28}, 10, seed),
      .task = evolution::SupervisedTask(parts.learn, parts.check,
                                        data::Metric::Accuracy),
      .options = options};
  evolution.profiler.use_profiler(print_event);
  return evolution.run().value();
}

// ---- Baseline

struct Baseline {
  explicit Baseline(std::uint64_t seed)
      : graph(seed),
        x(graph.zeros({kBatch, 784})),
        y(graph.zeros({kBatch, 10})),
        hidden(graph, 784, 128, "hidden"),
        out(graph, 128, 10, "out"),
        logits(out(hidden(x).relu())),
        loss(logits.cross_entropy(y)) {}

  double accuracy(const data::Dataset& rows) const {
    x.set_value(rows.inputs());
    logits.forward();
    return data::accuracy(logits.value(), rows.targets());
  }

  Graph graph;
  Var x;
  Var y;
  nn::Linear hidden;
  nn::Linear out;
  Var logits;
  Var loss;
};

struct BaselineScore {
  double check = 0;
  double test = 0;
  int trainings = 0;
};

void train_baseline(std::uint64_t seed, const Parts& parts,
                    Time::time_point end, BaselineScore& best) {
  const Baseline net(seed);
  data::DataLoader loader(
      parts.learn, {.batch_size = kBatch, .shuffle = true, .seed = seed});
  optim::Adam adam(nn::parameters(net.hidden, net.out));
  const auto steps = static_cast<std::int64_t>(loader.batch_count());
  const optim::Schedule schedule(
      "cosine", {.rate = 4e-3f, .steps = kBaselineEpochs * steps});
  for (int epoch = 0; epoch < kBaselineEpochs && Time::now() < end; ++epoch) {
    for (const auto& [images, labels] : loader) {
      net.x.set_value(images);
      net.y.set_value(labels);
      schedule.apply(adam);
      adam.minimize(net.loss);
    }
    const double check = net.accuracy(parts.check);
    if (check <= best.check) continue;
    best.check = check;
    best.test = net.accuracy(parts.test);
  }
  ++best.trainings;
}

// Trains baselines on all cores until the time is over, each with its own seed.
BaselineScore train_baselines(const Parts& parts, double seconds,
                              std::uint64_t seed) {
  const auto end = Time::now() + std::chrono::duration_cast<Time::duration>(
                                     std::chrono::duration<double>(seconds));
  ThreadPool pool;
  std::vector<BaselineScore> scores(pool.size());
  pool.parallel_for(scores.size(), [&](std::size_t i) {
    for (std::uint64_t k = 0; Time::now() < end; ++k) {
      train_baseline(seed + i + k * scores.size(), parts, end, scores[i]);
    }
  });
  BaselineScore best;
  for (const BaselineScore& score : scores) {
    const int trainings = best.trainings + score.trainings;
    if (score.check > best.check) best = score;
    best.trainings = trainings;
  }
  return best;
}

void print_report(const Parts& parts, const evolution::EvolutionResult& found,
                  const BaselineScore& baseline) {
  const evolution::Network& network = found.network;
  std::printf("%s\n", report::to_text(network).c_str());
  std::printf(
      "evolved:    test %.4f, check %.4f; %ld candidates, %ld stopped early, "
      "%ld steps, %zu weights, %.0f s\n",
      evolution::measure(data::Metric::Accuracy, network, parts.test),
      found.score, static_cast<long>(found.counts.evaluations),
      static_cast<long>(found.counts.stopped_early),
      static_cast<long>(found.counts.gradient_steps),
      network.parameters().size(), found.seconds);
  std::printf("784-128-10: test %.4f, check %.4f; the best of %d\n",
              baseline.test, baseline.check, baseline.trainings);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr,
                 "usage: layer_search FOLDER [SECONDS] [SEED] [PICTURE.svg]\n");
    return 2;
  }
  const auto parts = read_parts(arguments[1]);
  if (!parts) {
    std::fprintf(stderr, "%s\n", parts.error().message().c_str());
    return 1;
  }
  const double seconds = count > 2 ? std::strtod(arguments[2], nullptr) : 600;
  const std::uint64_t seed =
      count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  const evolution::EvolutionResult found = search(*parts, seconds, seed);
  print_report(*parts, found, train_baselines(*parts, seconds, seed));
  if (count > 4) {
    const auto written =
        write_file(arguments[4], report::to_svg(found.network));
    if (!written) {
      std::fprintf(stderr, "%s\n", written.error().message().c_str());
      return 1;
    }
  }
}
