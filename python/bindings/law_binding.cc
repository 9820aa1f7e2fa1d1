// The folder law: formulas for a column of a table.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/cli/evolve/fn_outcome.h"
#include "lamarck/cli/evolve/fn_page.h"
#include "lamarck/cli/evolve/fn_problem.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"
#include "lamarck/law/class_link.h"
#include "lamarck/law/law_search.h"
#include "lamarck/report/law_mathml.h"
#include "python/bindings/background_work.h"
#include "python/bindings/bindings.h"
#include "python/bindings/given_options.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using law::Law;
using law::LawSearchResult;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// What the report of a search shows.
struct LawRecord {
  cli::FnOutcome outcome;
  cli::FnProblem problem;
  cli::SearchRun run;
};

// What find_laws found, with the columns that the inputs of the laws are.
struct LawFindings {
  std::vector<Law> front;
  std::size_t best = 0;
  std::vector<std::string> columns;  // As the table names them.
  std::string reason;
  std::int64_t evaluations = 0;
  std::vector<std::string> remarks;
  bool was_interrupted = false;
  std::shared_ptr<const LawRecord> record;  // Null if unpickled.
};

// ---- Search.

cli::SearchFlags make_flags(const GivenOptions& given) {
  cli::SearchFlags flags;
  flags.data = "the table";
  given.set("target", flags.target);
  given.set("seed_equation", flags.seed_equation);
  given.set("functions", flags.functions);
  given.set("units", flags.units);
  given.set("max_size", flags.max_size);
  given.set("islands", flags.islands);
  given.set("parallel", flags.parallel);
  given.set("seed", flags.seed);
  if (given.has("budget")) flags.budget = {given.get<std::string>("budget")};
  return flags;
}

py::dict make_event(const law::LawProgress& progress) {
  return py::dict(
      "evaluations"_a = progress.counts.evaluations,
      "score"_a = progress.best_nmse, "size"_a = progress.best_size,
      "seconds"_a = std::chrono::duration<double>(progress.elapsed).count());
}

std::span<const double> span_of(const Doubles& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

// `weights` has a number for each row or is None; the search starts with the
// laws of `start`, if it is not None.
LawFindings find_laws(const data::Table& table, const py::object& callback,
                      const std::optional<Doubles>& weights,
                      const LawFindings* start, const py::kwargs& given) {
  const cli::SearchRun run = take(
      cli::make_search_run(cli::kFnKind, make_flags(GivenOptions(given)), 0));
  const cli::FnProblem problem = take(cli::make_fn_problem(
      run, table, weights ? span_of(*weights) : std::span<const double>()));
  law::LawSearchOptions options{
      .engine = law::LawEngine::Gp,
      .gp = take(cli::make_gp_options(run)),
      .evolver = run.evolver,
      .seeds = take(cli::seed_formulas(run, problem.known)),
      .known = start == nullptr ? std::vector<Law>() : start->front};
  const auto began = std::chrono::steady_clock::now();
  BackgroundWork work(callback);
  Result<LawSearchResult> found = work.run([&] {
    return law::find_laws(
        problem.known, options,
        [&](const law::LawProgress& progress) {
          law::LawProgress kept = progress;
          kept.front = nullptr;
          kept.lineage = nullptr;
          work.report([kept] { return make_event(kept); });
        },
        work.token());
  });
  LawSearchResult result = take(std::move(found));
  if (result.front.empty()) {
    raise_error(Error(ErrorCode::NotFound,
                      "No law was found within the budget; use a larger "
                      "budget."));
  }
  LawFindings findings{.front = result.front,
                       .best = result.best,
                       .columns = problem.columns,
                       .reason = result.reason,
                       .evaluations = result.counts.evaluations,
                       .remarks = problem.remarks,
                       .was_interrupted = work.was_interrupted()};
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - began;
  cli::FnOutcome outcome{
      .result = std::move(result), .test_nmse = {}, .seconds = elapsed.count()};
  outcome.evaluations_per_s =
      static_cast<double>(findings.evaluations) / outcome.seconds;
  findings.record = std::make_shared<const LawRecord>(
      LawRecord{std::move(outcome), problem, run});
  return findings;
}

std::string report_page(const LawFindings& findings) {
  if (findings.record == nullptr) {
    raise_error(Error(ErrorCode::FailedPrecondition,
                      "A report needs the search's record, which is not stored "
                      "with a law; make it before pickling, or fit again."));
  }
  const LawRecord& record = *findings.record;
  return cli::fn_page(record.outcome, record.problem, record.run);
}

// ---- Use.

// `inputs` has one row per input of the law.
py::array_t<double> values_of(const Law& law, const Doubles& inputs) {
  const auto view = inputs.unchecked<2>();
  if (static_cast<std::size_t>(view.shape(0)) != law.formula.inputs.size()) {
    raise_error(invalid_argument("A law needs one row for each of its " +
                                 std::to_string(law.formula.inputs.size()) +
                                 " inputs, got " +
                                 std::to_string(view.shape(0)) + "."));
  }
  std::vector<const double*> columns;
  for (py::ssize_t i = 0; i < view.shape(0); ++i) {
    columns.push_back(view.data(i, 0));
  }
  py::array_t<double> result(view.shape(1));
  const std::span<double> values(result.mutable_data(),
                                 static_cast<std::size_t>(view.shape(1)));
  const py::gil_scoped_release release;
  formula::ExpressionPlan plan(law.formula.body);
  plan.values({.inputs = columns, .rows = values.size()}, law.params, values);
  return result;
}

bool uses_input(const Law& law, std::size_t input) {
  return std::ranges::any_of(
      law.formula.body.nodes(), [&](const formula::Node& node) {
        return node.op == formula::Op::Input && node.index == input;
      });
}

std::vector<std::size_t> used_inputs(const Law& law) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < law.formula.inputs.size(); ++i) {
    if (uses_input(law, i)) used.push_back(i);
  }
  return used;
}

py::tuple law_state(const Law& law) {
  return py::make_tuple(formula::to_python(law.formula), law.params, law.size,
                        law.nmse, law.extrapolated);
}

Law law_of_state(const py::tuple& state) {
  Law law;
  law.formula = take(formula::parse_python(py::cast<std::string>(state[0])));
  law.params = py::cast<std::vector<double>>(state[1]);
  law.size = py::cast<std::size_t>(state[2]);
  law.nmse = py::cast<double>(state[3]);
  law.extrapolated = py::cast<double>(state[4]);
  return law;
}

py::tuple findings_state(const LawFindings& found) {
  return py::make_tuple(found.front, found.best, found.columns, found.reason,
                        found.evaluations, found.remarks);
}

LawFindings findings_of_state(const py::tuple& state) {
  return {.front = py::cast<std::vector<Law>>(state[0]),
          .best = py::cast<std::size_t>(state[1]),
          .columns = py::cast<std::vector<std::string>>(state[2]),
          .reason = py::cast<std::string>(state[3]),
          .evaluations = py::cast<std::int64_t>(state[4]),
          .remarks = py::cast<std::vector<std::string>>(state[5])};
}

void bind_laws(py::module_& module) {
  py::class_<Law>(module, "Law", "A formula with fitted constants.")
      .def("values", &values_of, "inputs"_a)
      .def("used_inputs", &used_inputs)
      .def(
          "infix",
          [](const Law& law, int digits) {
            return formula::to_infix(law.formula, &law.params, digits);
          },
          "digits"_a = 6)
      .def(
          "latex",
          [](const Law& law, int digits) {
            return formula::to_latex(law.formula, &law.params, digits);
          },
          "digits"_a = 6)
      .def("python",
           [](const Law& law) {
             return "import numpy as np\n\n\n" +
                    formula::to_python(law.formula, &law.params);
           })
      .def("cpp",
           [](const Law& law) {
             return formula::to_cpp(law.formula, &law.params);
           })
      .def(
          "mathml",
          [](const Law& law, const std::string& left) {
            return report::to_mathml(left, law.formula, law.params);
          },
          "left"_a)
      .def("notes", &cli::law_notes)
      .def("is_exact", &Law::is_exact)
      .def("__str__",
           [](const Law& law) {
             return formula::to_infix(law.formula, &law.params);
           })
      .def_property_readonly("inputs",
                             [](const Law& law) { return law.formula.inputs; })
      .def_readonly("size", &Law::size)
      .def_readonly("nmse", &Law::nmse)
      .def_readonly("params", &Law::params)
      .def(py::pickle(&law_state, &law_of_state));
}

}  // namespace

void bind_law(py::module_& module) {
  bind_laws(module);
  py::class_<LawFindings>(module, "LawFindings")
      .def_readonly("front", &LawFindings::front)
      .def_readonly("best", &LawFindings::best)
      .def_readonly("columns", &LawFindings::columns)
      .def_readonly("reason", &LawFindings::reason)
      .def_readonly("evaluations", &LawFindings::evaluations)
      .def_readonly("remarks", &LawFindings::remarks)
      .def_readonly("was_interrupted", &LawFindings::was_interrupted)
      .def("report", &report_page)
      .def(py::pickle(&findings_state, &findings_of_state));
  module.def("find_laws", &find_laws, "table"_a, "callback"_a = py::none(),
             "weights"_a = py::none(), "start"_a = py::none());
  module.def(
      "fit_class_link",
      [](const std::vector<double>& values, const std::vector<bool>& labels,
         const std::vector<double>& weights) {
        const law::ClassLink link =
            law::fit_class_link(values, labels, weights);
        return py::make_tuple(link.slope, link.offset);
      },
      "values"_a, "labels"_a, "weights"_a = std::vector<double>(),
      "Slope and offset of the logistic link that turns values into the "
      "probability of a label.");
}

}  // namespace lamarck::python
