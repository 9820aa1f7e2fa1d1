// The folder optim: optimizers.

#include <pybind11/stl.h>

#include <vector>

#include "lamarck/graph/graph.h"
#include "lamarck/optim/optimizer.h"
#include "python/bindings/bindings.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using optim::Optimizer;
using Vars = std::vector<Var>;

// Steps of small networks take microseconds, so they keep the GIL.
constexpr std::int64_t kManyParameters = 10'000;

float minimize(Optimizer& optimizer, const Var& loss) {
  if (loss.graph().parameter_count() < kManyParameters) {
    return optimizer.minimize(loss);
  }
  const py::gil_scoped_release release;
  return optimizer.minimize(loss);
}

}  // namespace

void bind_optim(py::module_& parent) {
  py::module_ module = parent.def_submodule("optim", "Optimizers.");
  py::class_<Optimizer>(module, "Optimizer")
      .def("zero_grad", &Optimizer::zero_grad)
      .def("step", &Optimizer::step)
      .def("minimize", &minimize, "loss"_a)
      .def("clip_gradients", &Optimizer::clip_gradients, "max_norm"_a)
      .def_property("rate", &Optimizer::rate, &Optimizer::set_rate)
      .def_property_readonly("steps_taken", &Optimizer::steps_taken);
  py::class_<optim::Sgd, Optimizer>(module, "Sgd")
      .def(py::init([](const Vars& parameters, float rate, float momentum,
                       float weight_decay, bool nesterov) {
             return new optim::Sgd(parameters, rate,
                                   {.momentum = momentum,
                                    .weight_decay = weight_decay,
                                    .nesterov = nesterov});
           }),
           "parameters"_a, "rate"_a, py::kw_only(), "momentum"_a = 0.0f,
           "weight_decay"_a = 0.0f, "nesterov"_a = false);
  py::class_<optim::Adam, Optimizer>(module, "Adam")
      .def(
          py::init([](const Vars& parameters, float rate, float beta1,
                      float beta2, float weight_decay) {
            return new optim::Adam(
                parameters, rate,
                {.beta1 = beta1, .beta2 = beta2, .weight_decay = weight_decay});
          }),
          "parameters"_a, "rate"_a = 1e-3f, py::kw_only(), "beta1"_a = 0.9f,
          "beta2"_a = 0.999f, "weight_decay"_a = 0.0f);
  py::class_<optim::AdamW, optim::Adam>(module, "AdamW")
      .def(py::init([](const Vars& parameters, float rate, float weight_decay) {
             return new optim::AdamW(parameters, rate,
                                     {.weight_decay = weight_decay});
           }),
           "parameters"_a, "rate"_a = 1e-3f, py::kw_only(),
           "weight_decay"_a = 0.01f);
  py::class_<optim::Rmsprop, Optimizer>(module, "Rmsprop")
      .def(py::init([](const Vars& parameters, float rate, float weight_decay) {
             return new optim::Rmsprop(parameters, rate,
                                       {.weight_decay = weight_decay});
           }),
           "parameters"_a, "rate"_a = 1e-2f, py::kw_only(),
           "weight_decay"_a = 0.0f);
}

}  // namespace lamarck::python
