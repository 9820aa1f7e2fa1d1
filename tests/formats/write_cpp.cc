// Writes random networks of every kind as C++ to the given folder. Next to
// each, it writes rows of inputs and the outputs of the network's graph. In the
// last sequence, an input is NaN.

#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include "lamarck/evolution/network_cpp.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

constexpr int kSteps = 4;
constexpr int kSequences = 3;

void write_row(std::ofstream& out, const std::vector<float>& row) {
  char number[32];
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::snprintf(number, sizeof(number), "%.9g", static_cast<double>(row[i]));
    out << (i == 0 ? "" : " ") << number;
  }
  out << "\n";
}

void write_case(const std::string& path, std::uint64_t seed) {
  const Network network = random_network(seed, 16);
  CppOptions options{.comment = "Seed " + std::to_string(seed) + " \\\nof all"};
  for (std::size_t i = 0; i < network.input_width(); ++i) {
    options.input_names.push_back("input\n" + std::to_string(i) + "\\");
  }
  std::ofstream(path + ".cc") << to_cpp(network, options);
  std::ofstream inputs(path + ".in");
  std::ofstream outputs(path + ".out");
  const Graph graph = to_graph(network);
  const Var output = graph.named("output");
  Rng rng(seed);
  const auto width = static_cast<std::int64_t>(network.input_width());
  for (int sequence = 0; sequence < kSequences; ++sequence) {
    graph.reset_state();
    for (int step = 0; step < kSteps; ++step) {
      Tensor row = Tensor::randn({1, width}, rng);
      if (sequence + 1 == kSequences && step > 0) {
        row.at({0, step % width}) = std::numeric_limits<float>::quiet_NaN();
      }
      graph.named("input").set_value(row);
      graph.step(output);
      write_row(inputs, row.to_vector());
      write_row(outputs, output.value().to_vector());
    }
    if (!network.is_recurrent()) continue;
    inputs << "\n";
    outputs << "\n";
  }
}

}  // namespace
}  // namespace lamarck::evolution

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int count = std::stoi(argv[2]);
  for (int seed = 0; seed < count; ++seed) {
    lamarck::evolution::write_case(
        std::string(argv[1]) + "/model_" + std::to_string(seed),
        static_cast<std::uint64_t>(seed));
  }
  return 0;
}
