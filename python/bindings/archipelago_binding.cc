// The folders archipelago and gp: functions that evolve with an evaluator in
// Python.

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/cli/evolve/search_limits.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/tree_engine.h"
#include "python/bindings/background_work.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using archipelago::Evaluation;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// A function that Python can call with columns.
struct EvolvedFunction {
  archipelago::SkeletonPtr skeleton;
  double score = 0;

  py::array_t<double> call(const py::args& arguments) const {
    std::vector<std::vector<double>> columns;
    for (const py::handle& each : arguments) {
      const auto array = py::cast<Doubles>(each);
      columns.emplace_back(array.data(), array.data() + array.size());
    }
    const std::vector<double> values = take(skeleton->call(columns));
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()),
                               values.data());
  }
  std::string python() const {
    return "import numpy as np\n\n\n" + skeleton->source();
  }
};

// Calls Python from the thread of the search.
class PythonEvaluator : public archipelago::Evaluator {
 public:
  explicit PythonEvaluator(py::function evaluate)
      : evaluate_(std::move(evaluate)) {}
  ~PythonEvaluator() override {
    const py::gil_scoped_acquire gil;
    evaluate_ = {};
  }

  std::size_t input_count() const override { return 1; }
  Evaluation evaluate(const archipelago::Skeleton& skeleton,
                      const CancelToken&) const override {
    const auto& formula =
        dynamic_cast<const archipelago::FormulaSkeleton&>(skeleton);
    const auto copy = std::make_shared<archipelago::FormulaSkeleton>(formula);
    const py::gil_scoped_acquire gil;
    try {
      const auto score = py::cast<double>(evaluate_(EvolvedFunction{copy, 0}));
      if (!std::isfinite(score)) return Evaluation::failed("not finite");
      return {.scores = {score}, .failure = {}, .constants = {}};
    } catch (py::error_already_set& raised) {
      return Evaluation::failed(raised.what());
    } catch (const py::cast_error&) {
      return Evaluation::failed("evaluate did not return a number");
    }
  }

 private:
  py::function evaluate_;
};

py::dict make_event(const archipelago::CycleEnded::Payload& cycle) {
  return py::dict(
      "evaluations"_a = cycle.counts.evaluations,
      "score"_a = cycle.best == nullptr ? std::nan("") : cycle.best->score());
}

py::tuple evolve_function(const std::string& first, py::function evaluate,
                          const py::object& callback, const std::string& budget,
                          std::optional<double> goal, std::size_t islands,
                          std::size_t max_size, std::uint64_t seed) {
  const auto evaluator = std::make_shared<PythonEvaluator>(std::move(evaluate));
  gp::TreeOptions tree;
  tree.max_nodes = max_size;
  archipelago::EvolverOptions options;
  options.num_islands = islands;
  // Python runs one thread at a time.
  options.num_parallel = 1;
  options.seed = seed;
  options.goal = goal;
  options.budget = take(cli::parse_search_budget({budget}));
  archipelago::EvolverParts parts;
  parts.engine = take(gp::TreeEngine::create(evaluator, tree));
  parts.evaluator = evaluator;
  parts.first = {std::make_shared<archipelago::FormulaSkeleton>(
      take(formula::parse_python(first, "")))};
  auto evolver =
      std::make_unique<archipelago::Evolver>(options, std::move(parts));
  BackgroundWork work(callback);
  const Remover remover =
      evolver->use_profiler([&](const archipelago::EvolverEvent& event) {
        const auto* done = std::get_if<archipelago::CycleEnded>(&event);
        if (done == nullptr) return;
        work.report([payload = done->payload] { return make_event(payload); });
      });
  auto outcome = work.run([&] { return evolver->run(work.token()); });
  const auto found = take(std::move(outcome));
  if (found.best == nullptr) {
    raise_error(Error(ErrorCode::NotFound,
                      "No function was evaluated within the budget."));
  }
  EvolvedFunction best{found.best->skeleton(), found.best->score()};
  {
    // Its threads may still hold the evaluator.
    const py::gil_scoped_release release;
    evolver.reset();
  }
  return py::make_tuple(best, found.reason, found.counts.evaluations);
}

}  // namespace

void bind_archipelago(py::module_& module) {
  py::class_<EvolvedFunction>(module, "EvolvedFunction",
                              "A function that evolved; call it with numbers "
                              "or arrays.")
      .def("__call__", &EvolvedFunction::call)
      .def("python", &EvolvedFunction::python)
      .def("__str__",
           [](const EvolvedFunction& self) { return self.skeleton->source(); })
      .def_property_readonly(
          "size",
          [](const EvolvedFunction& self) { return self.skeleton->size(); })
      .def_readonly("score", &EvolvedFunction::score);
  module.def("evolve_function", &evolve_function, "first"_a, "evaluate"_a,
             "callback"_a, "budget"_a, "goal"_a, "islands"_a, "max_size"_a,
             "seed"_a);
}

}  // namespace lamarck::python
