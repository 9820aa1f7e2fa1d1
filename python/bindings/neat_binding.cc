// The folders evolution and neat: networks, and populations whose evaluation is
// Python's.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "lamarck/evolution/network_file.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/network_stepper.h"
#include "lamarck/evolution/training.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/neat/neat_conversion.h"
#include "lamarck/neat/neat_population.h"
#include "lamarck/report/network_picture.h"
#include "python/bindings/array_tensors.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// A network with a state, for one thread of Python at a time.
class SteppedNetwork {
 public:
  explicit SteppedNetwork(evolution::Network network)
      : network_(std::move(network)) {}

  const evolution::Network& network() const { return network_; }

  py::array_t<float> step(const Floats& inputs) {
    if (static_cast<std::size_t>(inputs.size()) != network_.input_width()) {
      raise_error(invalid_argument(
          "The network has " + std::to_string(network_.input_width()) +
          " inputs, got " + std::to_string(inputs.size()) + "."));
    }
    const auto outputs = stepper().step(
        {inputs.data(), static_cast<std::size_t>(inputs.size())});
    return py::array_t<float>(static_cast<py::ssize_t>(outputs.size()),
                              outputs.data());
  }
  void reset() { stepper().reset(); }

  // [rows, inputs] to [rows, outputs].
  py::array predict(const Floats& rows) const {
    return to_array(evolution::predict(network_, view_tensor(rows)));
  }

  std::string to_bytes() const {
    return evolution::network_to_bytes({network_, {}});
  }
  static SteppedNetwork from_bytes(const std::string& bytes) {
    return SteppedNetwork(
        take(evolution::make_network(take(model_from_bytes(bytes)))).network);
  }

 private:
  // Compiled when it is first needed.
  evolution::NetworkStepper& stepper() {
    if (stepper_ == nullptr) {
      stepper_ = std::make_shared<evolution::NetworkStepper>(network_);
    }
    return *stepper_;
  }

  evolution::Network network_;
  std::shared_ptr<evolution::NetworkStepper> stepper_;
};

constexpr const char* kNetworkDoc =
    R"(An evolved network of neurons. `network(rows)` computes many rows;
`network.step(inputs)` computes one step and remembers its state, which
`network.reset()` clears.

>>> import lamarck
>>> class Constant(lamarck.Task):
...     def evaluate(self, network, rng):
...         return 1.0
>>> found = lamarck.Evolution(Constant(), inputs=2, outputs=1).run(budget="1gen")
>>> found.network.step([1, 0]).shape, found.network([[1, 0], [0, 1]]).shape
((1,), (2, 1)))";

void bind_network(py::module_& module) {
  using Self = SteppedNetwork;
  py::class_<Self>(module, "Network", kNetworkDoc)
      .def("step", &Self::step, "inputs"_a)
      .def("reset", &Self::reset)
      .def("__call__", &Self::predict, "rows"_a)
      .def(
          "save",
          [](const Self& self, const std::string& path) {
            take(evolution::save_network(path, {self.network(), {}}));
          },
          "path"_a)
      .def_static(
          "load",
          [](const std::string& path) {
            return Self(take(evolution::load_network(path)).network);
          },
          "path"_a)
      .def("onnx",
           [](const Self& self) {
             const Graph graph = evolution::to_graph(self.network());
             return py::bytes(
                 take(onnx_bytes(std::vector<Var>{graph.named("output")})));
           })
      .def("_repr_svg_",
           [](const Self& self) { return report::to_svg(self.network()); })
      .def("__repr__",
           [](const Self& self) {
             const evolution::Network& network = self.network();
             return "Network(inputs=" + std::to_string(network.input_width()) +
                    ", outputs=" + std::to_string(network.output_width()) +
                    ", hidden_nodes=" + std::to_string(network.hidden_count()) +
                    ")";
           })
      .def("__str__",
           [](const Self& self) { return report::to_text(self.network()); })
      .def_property_readonly(
          "inputs",
          [](const Self& self) { return self.network().input_width(); })
      .def_property_readonly(
          "outputs",
          [](const Self& self) { return self.network().output_width(); })
      .def_property_readonly(
          "hidden_nodes",
          [](const Self& self) { return self.network().hidden_count(); })
      .def_property_readonly("edges",
                             [](const Self& self) {
                               return self.network().forward_edge_count() +
                                      self.network().recurrent_edge_count();
                             })
      .def(py::pickle(
          [](const Self& self) { return py::bytes(self.to_bytes()); },
          [](const py::bytes& bytes) {
            return Self::from_bytes(std::string(bytes));
          }));
}

using neat::Population;

std::vector<SteppedNetwork> networks_of(const Population& population) {
  std::vector<SteppedNetwork> networks;
  for (const neat::Genome& genome : population.genomes()) {
    networks.emplace_back(neat::to_network(genome));
  }
  return networks;
}

// `goal` may be None: then no fitness is a solution.
bool evaluate(Population& population, const std::vector<double>& scores,
              std::optional<double> goal) {
  std::vector<neat::NeatEvaluation> evaluations;
  for (const double score : scores) {
    evaluations.push_back(
        {.fitness = score, .solved = goal.has_value() && score >= *goal});
  }
  return population.evaluate(evaluations);
}

}  // namespace

void bind_neat(py::module_& module) {
  bind_network(module);
  py::class_<Population>(module, "Population", "Networks that evolve by NEAT.")
      .def(py::init([](std::size_t inputs, std::size_t outputs,
                       std::uint64_t seed, std::size_t population,
                       double recurrent_share) {
             neat::NeatOptions options;
             options.population = population;
             options.recurrent_share = recurrent_share;
             return std::make_unique<Population>(inputs, outputs, options,
                                                 seed);
           }),
           "inputs"_a, "outputs"_a, "seed"_a, "population"_a,
           "recurrent_share"_a)
      .def("networks", &networks_of)
      .def("evaluate", &evaluate, "scores"_a, "goal"_a = py::none())
      .def("evolve", &Population::evolve)
      .def("best",
           [](const Population& population) {
             return SteppedNetwork(neat::to_network(population.best()));
           })
      .def_property_readonly("best_score",
                             [](const Population& population) {
                               return population.best().fitness;
                             })
      .def_property_readonly("species",
                             [](const Population& population) {
                               return population.species().size();
                             })
      .def_property_readonly("evaluations", &Population::evaluations)
      .def_property_readonly("generation", &Population::generation);
}

}  // namespace lamarck::python
