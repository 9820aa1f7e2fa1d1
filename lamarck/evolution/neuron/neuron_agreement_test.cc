// Compares plans with a straightforward reference implementation in double
// precision.

#include "lamarck/evolution/neuron/neuron_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lamarck/base/rng.h"

namespace lamarck::evolution {
namespace {

using Row = std::vector<double>;

// A network, its weights and data.
struct NeuronCase {
  NeuronTopology topology;
  Loss loss = Loss::MeanSquared;
  std::vector<float> weights;
  Tensor inputs;      // [rows, steps, features]
  Tensor targets;     // [rows, steps, outputs], or [rows, outputs].
  Tensor importance;  // [rows, steps]

  NeuronBatch batch() const { return {inputs, targets, importance}; }
  bool only_last_counts() const { return targets.rank() == 2; }
};

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::Identity:
      return x;
    case Activation::Tanh:
      return std::tanh(x);
    case Activation::Sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::Relu:
      return std::max(x, 0.0);
    case Activation::LeakyRelu:
      return x > 0 ? x : 0.01 * x;
  }
  return x;
}

double joined(Aggregation aggregation, const Row& parts) {
  if (parts.empty()) return 0;
  double all = aggregation == Aggregation::Product ? 1 : 0;
  for (const double part : parts) {
    all = aggregation == Aggregation::Product ? all * part : all + part;
  }
  if (aggregation == Aggregation::Max) return *std::ranges::max_element(parts);
  const auto count = static_cast<double>(parts.size());
  return aggregation == Aggregation::Mean ? all / count : all;
}

// The values of all places at this step; appends the nodes' sums to `sums`.
Row values_after(const NeuronCase& c, const Row& weights, const Row& before,
                 Row values, Row* sums) {
  const NeuronTopology& net = c.topology;
  for (std::size_t i = 0; i < net.nodes.size(); ++i) {
    Row parts;
    for (std::size_t e = 0; e < net.edges.size(); ++e) {
      const auto& edge = net.edges[e];
      if (edge.to != net.inputs + i) continue;
      const Row& from = edge.recurrent ? before : values;
      parts.push_back(weights[e] * from[edge.from]);
    }
    sums->push_back(joined(net.nodes[i].aggregation, parts) +
                    weights[net.edges.size() + i]);
    values.push_back(activated(net.nodes[i].activation, sums->back()));
  }
  return values;
}

double log_of_exps(const Row& sums, std::size_t first) {
  double total = 0;
  for (std::size_t i = first; i < sums.size(); ++i) total += std::exp(sums[i]);
  return std::log(total);
}

double compared(Loss loss, const Row& sums, const Row& values,
                const Row& targets) {
  const std::size_t first = sums.size() - targets.size();
  double total = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double y = values[values.size() - targets.size() + i];
    const double t = targets[i];
    if (loss == Loss::MeanSquared) {
      total += (y - t) * (y - t) / static_cast<double>(targets.size());
    } else if (loss == Loss::BinaryCrossEntropy) {
      total -= t * std::log(y) + (1 - t) * std::log(1 - y);
    } else {
      total += t * (log_of_exps(sums, first) - sums[first + i]);
    }
  }
  return total;
}

struct Reference {
  double loss = 0;
  Row outputs;  // [rows, steps, outputs]
  Row energies;
};

Row part_of(const Tensor& tensor, std::size_t index, std::size_t count) {
  const auto all = tensor.data().subspan(index * count, count);
  return {all.begin(), all.end()};
}

// Adds one row of the batch, not yet divided by the sum of the weights.
void add_row(const NeuronCase& c, const Row& weights, std::size_t r,
             Reference* sum) {
  const NeuronTopology& net = c.topology;
  const auto steps = static_cast<std::size_t>(c.inputs.size(1));
  Row values(net.inputs + net.nodes.size(), 0.0);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t at = r * steps + step;
    Row sums;
    values = values_after(c, weights, values, part_of(c.inputs, at, net.inputs),
                          &sums);
    const double importance = c.importance.data()[at];
    const bool counts = !c.only_last_counts() || step + 1 == steps;
    const std::size_t target = c.only_last_counts() ? r : at;
    if (counts) {
      sum->loss +=
          importance * compared(c.loss, sums, values,
                                part_of(c.targets, target, net.outputs));
    }
    const std::size_t first = net.nodes.size() - net.outputs;
    for (std::size_t i = 0; i < net.nodes.size(); ++i) {
      const double y = values[net.inputs + i];
      if (importance != 0) sum->energies[i] += y * y;
      if (i < first) continue;
      sum->outputs.push_back(c.loss == Loss::CrossEntropy
                                 ? std::exp(y - log_of_exps(sums, first))
                                 : y);
    }
  }
}

double scale_of(const NeuronCase& c) {
  const auto steps = static_cast<std::size_t>(c.inputs.size(1));
  double total = 0;
  for (std::size_t i = 0; i < c.importance.data().size(); ++i) {
    const bool counts = !c.only_last_counts() || (i + 1) % steps == 0;
    if (counts) total += static_cast<double>(c.importance.data()[i]);
  }
  return total;
}

Reference reference(const NeuronCase& c, const Row& weights) {
  Reference all;
  all.energies.assign(c.topology.nodes.size(), 0.0);
  const auto rows = static_cast<std::size_t>(c.inputs.size(0));
  for (std::size_t r = 0; r < rows; ++r) add_row(c, weights, r, &all);
  all.loss /= scale_of(c);
  return all;
}

Row doubled(const std::vector<float>& weights) {
  return {weights.begin(), weights.end()};
}

Row central_differences(const NeuronCase& c) {
  constexpr double kStep = 1e-7;
  Row weights = doubled(c.weights);
  Row gradient;
  for (double& weight : weights) {
    const double middle = weight;
    weight = middle + kStep;
    const double above = reference(c, weights).loss;
    weight = middle - kStep;
    const double below = reference(c, weights).loss;
    weight = middle;
    gradient.push_back((above - below) / (2 * kStep));
  }
  return gradient;
}

struct Kind {
  bool recurrent = false;
  bool sums_only = true;
  std::size_t rows = 10;
};

Activation output_activation(Loss loss, Rng& rng) {
  if (loss == Loss::BinaryCrossEntropy) return Activation::Sigmoid;
  if (loss == Loss::CrossEntropy) return Activation::Identity;
  return rng.choice(activation_table()).value;
}

NeuronTopology random_topology(const Kind& kind, Loss loss, Rng& rng) {
  NeuronTopology net;
  net.inputs = 1 + rng.below(4);
  net.outputs = 1 + rng.below(3);
  const std::size_t nodes = net.outputs + rng.below(6);
  for (std::size_t i = 0; i < nodes; ++i) {
    const bool is_output = i + net.outputs >= nodes;
    net.nodes.push_back({is_output ? output_activation(loss, rng)
                                   : rng.choice(activation_table()).value,
                         kind.sums_only
                             ? Aggregation::Sum
                             : rng.choice(aggregation_table()).value});
  }
  for (std::size_t to = net.inputs; to < net.inputs + nodes; ++to) {
    for (std::size_t from = 0; from < net.inputs + nodes; ++from) {
      const bool recurrent = from >= to || rng.chance(0.2);
      if (recurrent && !kind.recurrent) continue;
      if (!rng.chance(recurrent ? 0.3 : 0.7)) continue;
      net.edges.push_back({static_cast<std::uint32_t>(from),
                           static_cast<std::uint32_t>(to), recurrent});
    }
  }
  rng.shuffle(net.edges);
  return net;
}

// Mostly 1, some 0, some fractions, some negative.
Tensor random_importance(const Shape& shape, Rng& rng) {
  Tensor all = Tensor::ones(shape);
  for (float& value : all.data().subspan(1)) {
    if (rng.chance(0.5)) value = static_cast<float>(rng.integer(-1, 8)) / 4;
  }
  return all;
}

NeuronCase random_case(const Kind& kind, Loss loss, Rng& rng) {
  NeuronCase c;
  c.topology = random_topology(kind, loss, rng);
  c.loss = loss;
  for (std::size_t i = 0; i < c.topology.weight_count(); ++i) {
    c.weights.push_back(static_cast<float>(rng.uniform(-1, 1)));
  }
  const auto rows = static_cast<std::int64_t>(kind.rows);
  const std::int64_t steps = kind.recurrent ? rng.integer(1, 5) : 1;
  const auto outputs = static_cast<std::int64_t>(c.topology.outputs);
  c.inputs = Tensor::randn(
      {rows, steps, static_cast<std::int64_t>(c.topology.inputs)}, rng);
  c.targets = rng.chance(0.5) ? Tensor::rand({rows, steps, outputs}, rng)
                              : Tensor::rand({rows, outputs}, rng);
  c.importance = random_importance({rows, steps}, rng);
  if (std::abs(scale_of(c)) < 0.5) c.importance.fill(0.5f);
  return c;
}

double largest(const Row& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_right(const NeuronCase& c, const std::string& name) {
  NeuronPlan plan(c.topology, c.loss);
  const NeuronBatch batch = c.batch();
  const Reference right = reference(c, doubled(c.weights));
  const double loss = plan.loss(c.weights, batch);
  std::vector<float> gradient(c.weights.size(), 99.0f);

  EXPECT_NEAR(loss, right.loss, 1e-5 * (1 + std::abs(right.loss))) << name;
  EXPECT_EQ(plan.loss_and_gradient(c.weights, batch, gradient), loss) << name;
  const Row slopes = central_differences(c);
  const double tolerance = 2e-5 * (1 + largest(slopes));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_NEAR(gradient[i], slopes[i], tolerance) << name << ", weight " << i;
  }
  const Tensor outputs = plan.outputs(c.weights, batch);
  for (std::size_t i = 0; i < right.outputs.size(); ++i) {
    const double y = right.outputs[i];
    EXPECT_NEAR(outputs.data()[i], y, 1e-5 * (1 + std::abs(y))) << name;
  }
  const Row energies = plan.node_energies(c.weights, batch);
  for (std::size_t i = 0; i < energies.size(); ++i) {
    EXPECT_NEAR(energies[i], right.energies[i], 1e-5 * (1 + right.energies[i]))
        << name << ", node " << i;
  }
}

void expect_right_over_seeds(Kind kind) {
  for (const LossEntry& loss : loss_table()) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      Rng rng(seed);
      const bool is_large = seed % 10 == 9;
      kind.rows = 1 + rng.below(is_large ? 200 : 20);
      expect_right(random_case(kind, loss.value, rng),
                   std::string(loss.name) + ", seed " + std::to_string(seed));
    }
  }
}

TEST(NeuronAgreement, MatchesReferenceAndCentralDifferences) {
  expect_right_over_seeds({});
}

TEST(NeuronAgreement, MatchesReferenceThroughTime) {
  expect_right_over_seeds({.recurrent = true});
}

TEST(NeuronAgreement, MatchesReferenceForAllAggregations) {
  expect_right_over_seeds({.sums_only = false});
}

TEST(NeuronAgreement, MatchesReferenceForAllAggregationsThroughTime) {
  expect_right_over_seeds({.recurrent = true, .sums_only = false});
}

TEST(NeuronAgreement, MatchesReferenceForAllBlockWidths) {
  for (const std::size_t rows :
       {1, 3, 4, 5, 8, 9, 12, 16, 17, 24, 25, 32, 33, 48, 49, 64, 65, 194}) {
    Rng rng(rows);
    expect_right(random_case({.recurrent = rows % 2 == 0, .rows = rows},
                             Loss::BinaryCrossEntropy, rng),
                 std::to_string(rows) + " rows");
  }
}

}  // namespace
}  // namespace lamarck::evolution
