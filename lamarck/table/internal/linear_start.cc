#include "lamarck/table/internal/linear_start.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "lamarck/base/cholesky.h"

namespace lamarck::table {
namespace {

using evolution::Examples;
using evolution::Network;
using evolution::Role;

constexpr std::size_t kMaxLinearInputs = 600;
constexpr std::array<double, 5> kRidges = {1e-7, 1e-5, 1e-3, 1e-2, 1e-1};

// The sums of a least-squares problem with a constant as the last input.
struct NormalEquations {
  explicit NormalEquations(std::size_t inputs)
      : size(inputs + 1), matrix(size * size, 0.0), right(size, 0.0) {}

  void add(const float* row, double wanted, double weight) {
    const auto value = [&](std::size_t i) {
      return i + 1 < size ? double{row[i]} : 1.0;
    };
    for (std::size_t i = 0; i < size; ++i) {
      const double scaled = weight * value(i);
      right[i] += scaled * wanted;
      for (std::size_t j = 0; j <= i; ++j) {
        matrix[i * size + j] += scaled * value(j);
      }
    }
    weights += weight;
  }

  std::vector<double> solution(double ridge) {
    for (std::size_t i = 0; i + 1 < size; ++i) {
      matrix[i * size + i] += ridge * weights;
    }
    matrix[size * size - 1] += 1e-9;
    factor_cholesky(matrix.data(), size, [](double square) {
      return std::sqrt(std::max(square, 1e-12));
    });
    solve_cholesky(matrix.data(), size, right.data());
    return right;
  }

  std::size_t size;
  std::vector<double> matrix;  // The lower triangle is used.
  std::vector<double> right;
  double weights = 0;
};

// The sum over the examples that count.
double squared_error(const Network& network, const Examples& examples) {
  const Tensor outputs =
      evolution::predict(network, examples.inputs).contiguous();
  const Tensor targets = examples.targets.contiguous();
  const Tensor weights = examples.weights.contiguous();
  double sum = 0;
  for (std::size_t i = 0; i < targets.data().size(); ++i) {
    const double error = double{outputs.data()[i]} - double{targets.data()[i]};
    sum +=
        error * error * (weights.rank() == 0 ? 1.0 : double{weights.data()[i]});
  }
  return sum;
}

}  // namespace

bool is_linear(const Network& network) {
  return network.input_width() <= kMaxLinearInputs &&
         network.hidden_count() == 0 && network.output_width() == 1 &&
         network.recurrent_edge_count() == 0 &&
         network.forward_edge_count() == network.nodes_of(Role::Input).size();
}

void start_linear(Network& network, const Examples& examples, double ridge) {
  const auto inputs = static_cast<std::size_t>(examples.inputs.size(-1));
  const Tensor given = examples.inputs.contiguous();
  const Tensor wanted = examples.targets.contiguous();
  const Tensor weights = examples.weights.contiguous();
  const std::span<const float> targets = wanted.data();
  NormalEquations equations(inputs);
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const double weight =
        weights.rank() == 0 ? 1.0 : double{weights.data()[row]};
    if (weight <= 0) continue;
    equations.add(given.begin_of_data() + row * inputs, double{targets[row]},
                  weight);
  }
  const std::vector<double> solution = equations.solution(ridge);
  std::size_t input = 0;
  const evolution::UnitId output = network.nodes_of(Role::Output)[0];
  for (const evolution::UnitId id : network.nodes_of(Role::Input)) {
    for (float& weight : network.weights(network.edge(id, output, false))) {
      weight = static_cast<float>(solution[input++]);
    }
  }
  network.own_parameters(network.node(output))[0] =
      static_cast<float>(solution.back());
}

double choose_ridge(const Network& network, const Examples& train,
                    const Examples& check) {
  double chosen = kRidges.front();
  double lowest = std::numeric_limits<double>::infinity();
  for (const double ridge : kRidges) {
    Network trial = network;
    start_linear(trial, train, ridge);
    const double error = squared_error(trial, check);
    if (!(error < lowest)) continue;
    lowest = error;
    chosen = ridge;
  }
  return chosen;
}

}  // namespace lamarck::table
