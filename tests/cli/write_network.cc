// Writes the files that model.transcript needs to the current folder: an
// evolved network that classifies fruits (fruits.lmk), its table (fruits.csv)
// and a plain graph (plain.lmk).

#include <cstdio>

#include <nlohmann/json.hpp>
#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/network_file.h"

namespace lamarck {
namespace {

constexpr const char* kFruits =
    "size,colour,fruit\n"
    "1,red,apple\n"
    "2,red,apple\n"
    "3,green,apple\n"
    "7,green,melon\n"
    "8,green,melon\n"
    "9,red,melon\n";

evolution::Network fruit_network() {
  evolution::Network network = evolution::minimal_network(3, 2);
  const evolution::UnitId hidden =
      network.add_hidden({.activation = evolution::Activation::Tanh});
  network.add_edge(0, hidden);
  network.add_edge(hidden, 3);
  network.add_edge(hidden, 4);
  // Output biases, edges from the inputs to the outputs, the hidden bias, and
  // the edges into and out of the hidden node.
  network.parameters().values = {0, 0,    0, 0.25f, -0.25f, 0,
                                 0, 0.5f, 0, 2,     -4,     4};
  network.set_head(evolution::Loss::CrossEntropy);
  return network;
}

Result<void> write() {
  RETURN_IF_ERROR(write_file("fruits.csv", kFruits));
  ASSIGN_OR_RETURN(const data::Table table, data::parse_csv(kFruits));
  ASSIGN_OR_RETURN(const data::TableEncoding encoding,
                   data::TableEncoding::fit(table, {.target = "fruit"}));
  RETURN_IF_ERROR(evolution::save_network(
      "fruits.lmk",
      {fruit_network(), {{"encoding", dump_json(encoding.to_json())}}}));
  Graph graph;
  const Var x = graph.input_named(Tensor::zeros({1, 2}), "x");
  const Var w = graph.parameter({2, 1}, Init::constant(0.5f), "w");
  x.matmul(w).set_name("y");
  return save_model("plain.lmk", graph);
}

}  // namespace
}  // namespace lamarck

int main() {
  const auto written = lamarck::write();
  if (written) return 0;
  std::fprintf(stderr, "%s\n", written.error().message().c_str());
  return 1;
}
