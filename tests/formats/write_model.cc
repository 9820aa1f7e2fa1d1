// Writes a model with every kind of node to the given file and prints its
// content in the format of read_model.py.

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "lamarck/graph/graph_file.h"

namespace lamarck {
namespace {

std::string to_text(const Tensor& tensor) {
  std::string text = tensor.shape().to_string();
  char number[32];
  for (const float value : tensor.to_vector()) {
    std::snprintf(number, sizeof(number), " %.9g", static_cast<double>(value));
    text += number;
  }
  return text;
}

// Expected text by node name, for facts that the interface of Graph does not
// expose.
using TextByName = std::map<std::string, std::string>;

void print_node(const Graph& graph, const Var& node,
                const std::map<NodeId, std::size_t>& numbers,
                const TextByName& kinds, const TextByName& endings) {
  const std::string name = node.name().empty() ? "-" : node.name();
  const bool is_leaf = node.operation().empty();
  std::string text = std::to_string(numbers.at(node.node_id())) + " ";
  text += is_leaf ? kinds.at(name) : std::string(node.operation());
  text += " " + name + " ";
  if (is_leaf) {
    text += to_text(node.value());
  } else {
    std::string inputs;
    for (const Var& input : graph.inputs_of(node)) {
      inputs += (inputs.empty() ? "" : ", ") +
                std::to_string(numbers.at(input.node_id()));
    }
    text += "reads [" + inputs + "]";
  }
  const auto ending = endings.find(name);
  if (ending != endings.end()) text += " " + ending->second;
  std::printf("%s\n", text.c_str());
}

int run(const char* path) {
  Graph graph(7);
  const Var x = graph.input_named(
      Tensor::from({2, 3}, {1, -2, 0.1f, 1e-30f, 3e38f, 6}), "x");
  x.set_requires_grad(true);
  const Var w = graph.parameter({3, 4}, Init::xavier(), "w");
  const Var frozen = graph.parameter({}, Init::constant(0.3f), "frozen");
  frozen.set_requires_grad(false);
  const Var memory = graph.memory(Tensor::full({1, 4}, 0.5f), "m");
  const Var two = graph.constant(Tensor::from({1}, {2})).set_name("two");
  const Var removed = w.exp();
  const Var h =
      (x.matmul(w) * two + memory * frozen).leaky_relu(0.25f).set_name("h");
  graph.add_recurrent_edge(h, memory);
  graph.remove(removed);
  h.reshape({-1, 2}).set_name("pairs").detach();
  h.slice(1, 0, 2).set_name("part").mean().set_name("loss");
  const ModelExtras extras{.tensors = {{"adam/w.mean", Tensor::zeros({2, 0})},
                                       {"scale", Tensor::scalar(-0.0f)}},
                           .notes = {{"classes", R"(["a", "ä"])"}}};
  const auto saved = save_model(path, graph, extras);
  if (!saved) {
    std::fprintf(stderr, "%s\n", saved.error().message().c_str());
    return 1;
  }

  std::map<NodeId, std::size_t> numbers;
  for (const NodeId id : graph.node_ids()) numbers.emplace(id, numbers.size());
  const TextByName kinds = {{"x", "input"},
                            {"w", "parameter"},
                            {"frozen", "parameter"},
                            {"m", "memory"},
                            {"two", "constant"}};
  const TextByName endings = {
      {"x", "requires_gradient True"},
      {"frozen", "requires_gradient False"},
      {"m", "begins with [1, 4] 0.5 0.5 0.5 0.5 follows " +
                std::to_string(numbers.at(h.node_id()))},
      {"h", "numbers [0.25, 0.0]"},
      {"pairs", "integers [1, 0, 0, 0, 0, 0, 0, 0] shape [0, 2] detached True"},
      {"part", "integers [1, 0, 2, 0, 0, 0, 0, 0]"}};
  for (const NodeId id : graph.node_ids()) {
    print_node(graph, graph.node(id), numbers, kinds, endings);
  }
  for (const auto& [name, tensor] : extras.tensors) {
    std::printf("extra %s %s\n", name.c_str(), to_text(tensor).c_str());
  }
  for (const auto& [name, text] : extras.notes) {
    std::printf("note %s %s\n", name.c_str(), text.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace lamarck

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return lamarck::run(argv[1]);
}
