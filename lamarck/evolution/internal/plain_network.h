// For tests: a straightforward reference implementation of networks in double
// precision.

#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "lamarck/evolution/network.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

// Computes one row and one step at a time, and keeps the state between steps.
class PlainNetwork {
 public:
  using Row = std::vector<double>;

  explicit PlainNetwork(const Network& network) : network_(network) {}

  void forget() {
    before_.clear();
    cells_.clear();
  }

  Row step(const Row& inputs) {
    values_.clear();
    std::size_t at = 0;
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role == Role::Input) {
        const auto begin = inputs.begin() + static_cast<std::ptrdiff_t>(at);
        values_[node.id] =
            Row(begin, begin + static_cast<std::ptrdiff_t>(node.width()));
        at += node.width();
      } else {
        values_[node.id] = value_of(node);
      }
    }
    before_ = values_;
    Row outputs;
    for (const UnitId id : network_.nodes_of(Role::Output)) {
      outputs.insert(outputs.end(), values_[id].begin(), values_[id].end());
    }
    return network_.head() == Loss::CrossEntropy ? softmax(outputs) : outputs;
  }

  // [rows, n] or [rows, steps, n], as `predict` takes them.
  Row predict(const Tensor& inputs) {
    const Tensor all = inputs.contiguous();
    const auto width = static_cast<std::size_t>(all.size(-1));
    const std::size_t steps =
        all.rank() == 3 ? static_cast<std::size_t>(all.size(1)) : 1;
    Row outputs;
    for (std::size_t i = 0; i * width < all.data().size(); ++i) {
      if (i % steps == 0) forget();
      const auto row = all.data().subspan(i * width, width);
      const Row given = step({row.begin(), row.end()});
      outputs.insert(outputs.end(), given.begin(), given.end());
    }
    return outputs;
  }

 private:
  static Row softmax(Row values) {
    double sum = 0;
    for (const double value : values) sum += std::exp(value);
    for (double& value : values) value = std::exp(value) / sum;
    return values;
  }
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  static double activated(Activation activation, double x) {
    switch (activation) {
      case Activation::Identity:
        return x;
      case Activation::Tanh:
        return std::tanh(x);
      case Activation::Sigmoid:
        return sigmoid(x);
      case Activation::Relu:
        return std::max(x, 0.0);
      case Activation::LeakyRelu:
        return x > 0 ? x : 0.01 * x;
    }
    return x;
  }

  static Row last_or_zeros(const std::map<UnitId, Row>& from,
                           const NetworkNode& node) {
    const auto found = from.find(node.id);
    return found == from.end() ? Row(node.width(), 0.0) : found->second;
  }

  Row carried(const NetworkEdge& edge) const {
    return edge.recurrent ? last_or_zeros(before_, network_.node(edge.from))
                          : values_.at(edge.from);
  }

  static Row product(const Row& x, std::span<const float> matrix,
                     std::size_t columns) {
    Row sums(columns, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        sums[j] += x[i] * double{matrix[i * columns + j]};
      }
    }
    return sums;
  }

  std::vector<Row> parts(const NetworkNode& node) const {
    std::vector<Row> all;
    for (const NetworkEdge& edge : network_.edges()) {
      if (edge.to != node.id) continue;
      all.push_back(
          product(carried(edge), network_.weights(edge), node.gates()));
    }
    return all;
  }

  static double aggregated(Aggregation aggregation, const Row& parts) {
    if (parts.empty()) return 0;
    double sum = 0;
    double product = 1;
    for (const double part : parts) {
      sum += part;
      product *= part;
    }
    switch (aggregation) {
      case Aggregation::Sum:
        return sum;
      case Aggregation::Mean:
        return sum / static_cast<double>(parts.size());
      case Aggregation::Max:
        return *std::ranges::max_element(parts);
      case Aggregation::Product:
        return product;
    }
    return sum;
  }

  Row arrived(const NetworkNode& node, Aggregation aggregation) const {
    const std::vector<Row> all = parts(node);
    Row result(node.gates(), 0.0);
    for (std::size_t i = 0; i < result.size(); ++i) {
      Row own;
      for (const Row& part : all) own.push_back(part[i]);
      result[i] = aggregated(aggregation, own);
    }
    return result;
  }

  Row value_of(const NetworkNode& node) {
    switch (node.cell) {
      case Cell::Conv:
        return convolved(node);
      case Cell::Lstm:
        return lstm(node);
      case Cell::Gru:
        return gru(node);
      case Cell::Dense:
        break;
    }
    Row sums = arrived(node, node.aggregation);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = activated(node.activation,
                          sums[i] + double{network_.own_parameters(node)[i]});
    }
    return sums;
  }

  double convolved_at(const NetworkNode& node, std::size_t channel, int y,
                      int x) const {
    double sum = double{network_.own_parameters(node)[channel]};
    const int kernel = node.kernel;
    for (const NetworkEdge& edge : network_.edges()) {
      if (edge.to != node.id) continue;
      const Extent& from = network_.node(edge.from).extent;
      const int height = static_cast<int>(from.height);
      const int width = static_cast<int>(from.width);
      for (int c = 0; c < static_cast<int>(from.channels); ++c) {
        for (int i = 0; i < kernel * kernel; ++i) {
          const int v = y + i / kernel - kernel / 2;
          const int u = x + i % kernel - kernel / 2;
          if (v < 0 || u < 0 || v >= height || u >= width) continue;
          const std::size_t place =
              (channel * from.channels + static_cast<std::size_t>(c)) *
                  static_cast<std::size_t>(kernel * kernel) +
              static_cast<std::size_t>(i);
          const auto pixel =
              static_cast<std::size_t>((c * height + v) * width + u);
          sum += double{network_.weights(edge)[place]} *
                 values_.at(edge.from)[pixel];
        }
      }
    }
    return activated(node.activation, sum);
  }

  Row convolved(const NetworkNode& node) const {
    Row values;
    const int pool = node.pool;
    for (std::size_t c = 0; c < node.extent.channels; ++c) {
      for (int y = 0; y < static_cast<int>(node.extent.height); ++y) {
        for (int x = 0; x < static_cast<int>(node.extent.width); ++x) {
          double best = convolved_at(node, c, y * pool, x * pool);
          for (int i = 1; i < pool * pool; ++i) {
            best = std::max(best, convolved_at(node, c, y * pool + i / pool,
                                               x * pool + i % pool));
          }
          values.push_back(best);
        }
      }
    }
    return values;
  }

  // The product of the node's previous values with its own matrix.
  Row from_itself(const NetworkNode& node) const {
    const auto own = network_.own_parameters(node);
    return product(last_or_zeros(before_, node),
                   own.first(own.size() - node.gates()), node.gates());
  }
  // The sum over the incoming edges, plus the biases.
  Row fed(const NetworkNode& node) const {
    Row sums = arrived(node, Aggregation::Sum);
    const auto own = network_.own_parameters(node);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += double{own.last(node.gates())[i]};
    }
    return sums;
  }

  // Gates: input, forget, candidate, output.
  Row lstm(const NetworkNode& node) {
    const Row a = fed(node);
    const Row b = from_itself(node);
    Row cell = last_or_zeros(cells_, node);
    Row values;
    const std::size_t n = node.width();
    for (std::size_t i = 0; i < n; ++i) {
      const auto gate = [&](std::size_t k) {
        return a[k * n + i] + b[k * n + i];
      };
      cell[i] =
          sigmoid(gate(1)) * cell[i] + sigmoid(gate(0)) * std::tanh(gate(2));
      values.push_back(sigmoid(gate(3)) * std::tanh(cell[i]));
    }
    cells_[node.id] = cell;
    return values;
  }

  // Gates: reset, update, candidate.
  Row gru(const NetworkNode& node) const {
    const Row a = fed(node);
    const Row b = from_itself(node);
    const Row last = last_or_zeros(before_, node);
    Row values;
    const std::size_t n = node.width();
    for (std::size_t i = 0; i < n; ++i) {
      const double reset = sigmoid(a[i] + b[i]);
      const double update = sigmoid(a[n + i] + b[n + i]);
      const double candidate = std::tanh(a[2 * n + i] + reset * b[2 * n + i]);
      values.push_back((1 - update) * candidate + update * last[i]);
    }
    return values;
  }

  const Network& network_;
  std::map<UnitId, Row> values_;
  std::map<UnitId, Row> before_;
  std::map<UnitId, Row> cells_;
};

}  // namespace lamarck::evolution
