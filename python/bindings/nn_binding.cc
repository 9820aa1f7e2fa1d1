// The folder nn: layers.

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/embedding.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/lstm.h"
#include "lamarck/nn/module.h"
#include "lamarck/nn/norm_layers.h"
#include "python/bindings/bindings.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr const char* kLinearDoc =
    R"(Each output is a weighted sum of the inputs, plus a bias.

>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.Linear(graph, 3, 2)
>>> layer(graph.input([[1, 2, 3]])).shape
(1, 2))";

constexpr const char* kConv2dDoc =
    R"(A convolution of images [batch, channels, height, width].

>>> import numpy as np
>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.Conv2d(graph, 1, 4, 3, padding=1)
>>> layer(graph.input(np.zeros((2, 1, 8, 8)))).shape
(2, 4, 8, 8))";

constexpr const char* kEmbeddingDoc =
    R"(A vector of parameters for each of `count` indices.

>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.Embedding(graph, 10, 4)
>>> layer(graph.input([3, 7])).shape
(2, 4))";

constexpr const char* kDropoutDoc =
    R"(Sets a share of the values to 0 in training, chosen at random.

>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.Dropout(graph, 0.5)
>>> y = layer(graph.input([1, 2]))
>>> layer.eval()
>>> y.numpy()
array([1., 2.], dtype=float32))";

constexpr const char* kBatchNormDoc =
    R"(Scales each channel by its mean and deviation in the batch.

>>> import numpy as np
>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.BatchNorm(graph, 3)
>>> layer(graph.input(np.ones((4, 3)))).shape
(4, 3))";

constexpr const char* kLayerNormDoc =
    R"(Scales each row by its mean and deviation.

>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.LayerNorm(graph, 2)
>>> layer(graph.input([[1, 3]])).numpy().round(2)
array([[-1.,  1.]], dtype=float32))";

constexpr const char* kLstmDoc =
    R"(Sequences [steps, batch, inputs] to hidden states
[steps, batch, hidden].

>>> import numpy as np
>>> import lamarck
>>> graph = lamarck.Graph(seed=1)
>>> layer = lamarck.nn.Lstm(graph, 3, 5)
>>> layer(graph.input(np.zeros((7, 2, 3)))).shape
(7, 2, 5))";

constexpr const char* kModuleDoc =
    R"(What all layers are: they own parameters of a graph.

>>> import lamarck
>>> layer = lamarck.nn.Linear(lamarck.Graph(seed=1), 3, 2)
>>> isinstance(layer, lamarck.nn.Module), layer.parameter_count()
(True, 8))";

// A name that no node of the graph has: "linear_12".
std::string name_or_new(const std::string& given, const Graph& graph,
                        const char* kind) {
  if (!given.empty()) return given;
  return std::string(kind) + "_" + std::to_string(graph.node_count());
}

void bind_plain_layers(py::module_& module) {
  using Count = std::int64_t;
  using Text = std::string;
  py::class_<nn::Linear, nn::Module>(module, "Linear", kLinearDoc)
      .def(py::init([](const Graph& graph, Count inputs, Count outputs,
                       const Text& name, bool bias) {
             return nn::Linear(graph, inputs, outputs,
                               name_or_new(name, graph, "linear"),
                               {.bias = bias});
           }),
           "graph"_a, "inputs"_a, "outputs"_a, py::kw_only(), "name"_a = "",
           "bias"_a = true)
      .def("__call__", &nn::Linear::operator(), "x"_a);
  py::class_<nn::Conv2d, nn::Module>(module, "Conv2d", kConv2dDoc)
      .def(py::init([](const Graph& graph, Count channels, Count outputs,
                       Count kernel, Count stride, Count padding, Count groups,
                       const Text& name) {
             return nn::Conv2d(
                 graph, channels, outputs, kernel,
                 name_or_new(name, graph, "conv2d"),
                 {.stride = stride, .padding = padding, .groups = groups});
           }),
           "graph"_a, "channels"_a, "outputs"_a, "kernel"_a, py::kw_only(),
           "stride"_a = 1, "padding"_a = 0, "groups"_a = 1, "name"_a = "")
      .def("__call__", &nn::Conv2d::operator(), "x"_a);
  py::class_<nn::Embedding, nn::Module>(module, "Embedding", kEmbeddingDoc)
      .def(py::init([](const Graph& graph, Count count, Count width,
                       const Text& name) {
             return nn::Embedding(graph, count, width,
                                  name_or_new(name, graph, "embedding"));
           }),
           "graph"_a, "count"_a, "width"_a, py::kw_only(), "name"_a = "")
      .def("__call__", &nn::Embedding::operator(), "indices"_a);
  py::class_<nn::Dropout, nn::Module>(module, "Dropout", kDropoutDoc)
      .def(
          py::init([](const Graph& graph, float probability, const Text& name) {
            return nn::Dropout(graph, probability,
                               name_or_new(name, graph, "dropout"));
          }),
          "graph"_a, "probability"_a, py::kw_only(), "name"_a = "")
      .def("__call__", &nn::Dropout::operator(), "x"_a);
  py::class_<nn::BatchNorm, nn::Module>(module, "BatchNorm", kBatchNormDoc)
      .def(py::init([](const Graph& graph, Count channels, const Text& name) {
             return nn::BatchNorm(graph, channels,
                                  name_or_new(name, graph, "batch_norm"));
           }),
           "graph"_a, "channels"_a, py::kw_only(), "name"_a = "")
      .def("__call__", &nn::BatchNorm::operator(), "x"_a);
  py::class_<nn::LayerNorm, nn::Module>(module, "LayerNorm", kLayerNormDoc)
      .def(py::init([](const Graph& graph, Count width, const Text& name) {
             return nn::LayerNorm(graph, width,
                                  name_or_new(name, graph, "layer_norm"));
           }),
           "graph"_a, "width"_a, py::kw_only(), "name"_a = "")
      .def("__call__", &nn::LayerNorm::operator(), "x"_a);
}

// Sequences [steps, batch, inputs] to hidden states [steps, batch, hidden].
void bind_sequence_layers(py::module_& module) {
  py::class_<nn::Lstm, nn::Module>(module, "Lstm", kLstmDoc)
      .def(py::init([](const Graph& graph, std::int64_t inputs,
                       std::int64_t hidden, std::int64_t layers,
                       const std::string& name) {
             return nn::Lstm(graph, inputs, hidden,
                             name_or_new(name, graph, "lstm"),
                             {.layers = layers});
           }),
           "graph"_a, "inputs"_a, "hidden"_a, py::kw_only(), "layers"_a = 1,
           "name"_a = "")
      .def(
          "__call__",
          [](const nn::Lstm& layer, const Var& x) { return layer(x).hidden; },
          "x"_a);
}

}  // namespace

void bind_nn(py::module_& parent) {
  py::module_ module = parent.def_submodule("nn", "Layers.");
  py::class_<nn::Module>(module, "Module", kModuleDoc)
      .def("parameters", &nn::Module::parameters)
      .def("parameter_count", &nn::Module::parameter_count)
      .def("train", &nn::Module::train)
      .def("eval", &nn::Module::eval);
  bind_plain_layers(module);
  bind_sequence_layers(module);
}

}  // namespace lamarck::python
