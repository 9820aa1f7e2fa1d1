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

constexpr const char* kSgdDoc =
    R"(Moves parameters against their gradients; `momentum` keeps a share of the
last move.

>>> import lamarck
>>> w = lamarck.Graph().parameter([3.0], "w")
>>> optimizer = lamarck.optim.Sgd([w], 0.1)
>>> loss = (w * w).sum()
>>> losses = [optimizer.minimize(loss) for _ in range(50)]
>>> losses[-1] < losses[0] / 2
True)";

constexpr const char* kAdamDoc =
    R"(Scales each move by how large its gradients were (Kingma and Ba 2015).

>>> import lamarck
>>> w = lamarck.Graph().parameter([3.0], "w")
>>> optimizer = lamarck.optim.Adam([w], 0.1)
>>> loss = (w * w).sum()
>>> losses = [optimizer.minimize(loss) for _ in range(50)]
>>> losses[-1] < losses[0] / 2
True)";

constexpr const char* kAdamWDoc =
    R"(Adam, with weight decay apart from the gradients.

>>> import lamarck
>>> w = lamarck.Graph().parameter([3.0], "w")
>>> optimizer = lamarck.optim.AdamW([w], 0.1, weight_decay=0.0)
>>> loss = (w * w).sum()
>>> losses = [optimizer.minimize(loss) for _ in range(50)]
>>> losses[-1] < losses[0] / 2
True)";

constexpr const char* kRmspropDoc =
    R"(Scales each move by the mean square of its recent gradients.

>>> import lamarck
>>> w = lamarck.Graph().parameter([3.0], "w")
>>> optimizer = lamarck.optim.Rmsprop([w], 0.1)
>>> loss = (w * w).sum()
>>> losses = [optimizer.minimize(loss) for _ in range(50)]
>>> losses[-1] < losses[0] / 2
True)";

constexpr const char* kOptimizerDoc =
    R"(What all optimizers are: `minimize` computes a loss and its gradients, and moves
the parameters.

>>> import lamarck
>>> w = lamarck.Graph().parameter([3.0], "w")
>>> sgd = lamarck.optim.Sgd([w], 0.5)
>>> sgd.rate, sgd.minimize((w * w).sum()), w.item(), sgd.steps_taken
(0.5, 9.0, 0.0, 1))";

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
  py::class_<Optimizer>(module, "Optimizer", kOptimizerDoc)
      .def("zero_grad", &Optimizer::zero_grad)
      .def("step", &Optimizer::step)
      .def("minimize", &minimize, "loss"_a)
      .def("clip_gradients", &Optimizer::clip_gradients, "max_norm"_a)
      .def_property("rate", &Optimizer::rate, &Optimizer::set_rate)
      .def_property_readonly("steps_taken", &Optimizer::steps_taken);
  py::class_<optim::Sgd, Optimizer>(module, "Sgd", kSgdDoc)
      .def(py::init([](const Vars& parameters, float rate, float momentum,
                       float weight_decay, bool nesterov) {
             return new optim::Sgd(parameters, rate,
                                   {.momentum = momentum,
                                    .weight_decay = weight_decay,
                                    .nesterov = nesterov});
           }),
           "parameters"_a, "rate"_a, py::kw_only(), "momentum"_a = 0.0f,
           "weight_decay"_a = 0.0f, "nesterov"_a = false);
  py::class_<optim::Adam, Optimizer>(module, "Adam", kAdamDoc)
      .def(
          py::init([](const Vars& parameters, float rate, float beta1,
                      float beta2, float weight_decay) {
            return new optim::Adam(
                parameters, rate,
                {.beta1 = beta1, .beta2 = beta2, .weight_decay = weight_decay});
          }),
          "parameters"_a, "rate"_a = 1e-3f, py::kw_only(), "beta1"_a = 0.9f,
          "beta2"_a = 0.999f, "weight_decay"_a = 0.0f);
  py::class_<optim::AdamW, optim::Adam>(module, "AdamW", kAdamWDoc)
      .def(py::init([](const Vars& parameters, float rate, float weight_decay) {
             return new optim::AdamW(parameters, rate,
                                     {.weight_decay = weight_decay});
           }),
           "parameters"_a, "rate"_a = 1e-3f, py::kw_only(),
           "weight_decay"_a = 0.01f);
  py::class_<optim::Rmsprop, Optimizer>(module, "Rmsprop", kRmspropDoc)
      .def(py::init([](const Vars& parameters, float rate, float weight_decay) {
             return new optim::Rmsprop(parameters, rate,
                                       {.weight_decay = weight_decay});
           }),
           "parameters"_a, "rate"_a = 1e-2f, py::kw_only(),
           "weight_decay"_a = 0.0f);
}

}  // namespace lamarck::python
