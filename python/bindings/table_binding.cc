// The folder table: networks that predict a column of a table.

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/net_flags.h"
#include "lamarck/cli/opened_model.h"
#include "lamarck/data/time_columns.h"
#include "lamarck/evolution/network_cpp.h"
#include "lamarck/evolution/network_file.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/graph/graph_file.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/report/net_report.h"
#include "lamarck/report/network_picture.h"
#include "lamarck/table/table_evolution.h"
#include "lamarck/table/table_prediction.h"
#include "python/bindings/background_work.h"
#include "python/bindings/bindings.h"
#include "python/bindings/given_options.h"
#include "python/bindings/python_error.h"
#include "python/bindings/table_columns.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using evolution::EvolutionEvent;
using evolution::GenerationDone;
using table::TableEvolutionOptions;
using table::TableEvolutionOutcome;

// A network that predicts tables. What only the evolution knows, such as the
// curve of the report, is not stored with it.
struct TableNetwork {
  table::TableModel model;
  std::shared_ptr<const TableEvolutionOutcome> outcome;  // Null if loaded.
  TableEvolutionOptions options;
  bool was_interrupted = false;

  const evolution::Network& network() const { return model.evolved.network; }
};

TableNetwork make_table_network(evolution::NetworkModel evolved) {
  data::TableEncoding encoding = take(table::read_encoding(evolved));
  return {.model = {std::move(evolved), std::move(encoding)}};
}

TableNetwork make_table_network(TableEvolutionOutcome outcome,
                                const TableEvolutionOptions& options) {
  std::map<std::string, std::string> notes = outcome.notes();
  notes["facts"] =
      dump_json(report::net_json(outcome, options.evolution.seed, {}));
  return {
      .model = {{outcome.result.network, std::move(notes)}, outcome.encoding},
      .outcome =
          std::make_shared<const TableEvolutionOutcome>(std::move(outcome)),
      .options = options};
}

std::string to_bytes(const TableNetwork& network) {
  return evolution::network_to_bytes(network.model.evolved);
}

TableNetwork from_bytes(const std::string& bytes) {
  return make_table_network(
      take(evolution::make_network(take(model_from_bytes(bytes)))));
}

report::PictureOptions picture_options(const TableNetwork& network) {
  return cli::picture_options({.saved = {.graph = Graph(), .extras = {}},
                               .evolved = network.model.evolved,
                               .encoding = network.model.encoding},
                              "");
}

// ---- Evolution.

// Flags of `lamarck evolve net` that were given: keywords that are not None.
cli::NetFlags make_flags(const GivenOptions& given) {
  cli::NetFlags flags;
  flags.data = "the table";
  given.set("target", flags.target);
  given.set("task", flags.task);
  given.set("horizon", flags.horizon);
  given.set("lags", flags.lags);
  given.set("grain", flags.grain);
  given.set("strategy", flags.strategy);
  given.set("metric", flags.metric);
  given.set("goal", flags.goal);
  given.set("budget", flags.budget);
  given.set("islands", flags.islands);
  given.set("seed", flags.seed);
  flags.is_series = given.is_true("series");
  flags.is_single = given.is_true("single");
  return flags;
}

TableEvolutionOptions make_options(const GivenOptions& given) {
  TableEvolutionOptions options =
      take(cli::make_net_run(make_flags(given))).options;
  if (given.has("ignore")) {
    options.ignore = given.get<std::vector<std::string>>("ignore");
  }
  if (given.has("weight")) options.weight = given.get<std::string>("weight");
  if (given.has("test_split")) {
    options.test_split = given.get<double>("test_split");
  }
  if (given.has("threads")) {
    options.evolution.threads = given.get<std::size_t>("threads");
  }
  if (given.has("start")) {
    const TableNetwork start = given.get<TableNetwork>("start");
    options.start = std::make_shared<table::TableStart>(
        table::TableStart{start.network(), start.model.encoding});
  }
  return options;
}

py::dict make_event(const GenerationDone::Payload& done, double score) {
  return py::dict("generation"_a = done.generation,
                  "evaluations"_a = done.evaluations, "score"_a = score,
                  "hidden_nodes"_a = done.hidden_nodes, "edges"_a = done.edges,
                  "seconds"_a = done.seconds);
}

TableNetwork evolve_table(const data::Table& table, const py::object& test,
                          const py::object& callback, const py::kwargs& given) {
  TableEvolutionOptions options = make_options(GivenOptions(given));
  const data::Table* test_table =
      test.is_none() ? nullptr : &py::cast<const data::Table&>(test);
  BackgroundWork work(callback);
  options.evolution.cancel = work.token();
  auto outcome = work.run([&]() -> Result<TableEvolutionOutcome> {
    const auto plan = table::plan_table(table, test_table, options);
    if (!plan) return plan.error();
    Profiler<EvolutionEvent> profiler;
    profiler.use_profiler([&](const EvolutionEvent& event) {
      const auto* done = std::get_if<GenerationDone>(&event);
      if (done == nullptr) return;
      work.report([payload = done->payload,
                   score = plan->shown(done->payload.best_score)] {
        return make_event(payload, score);
      });
    });
    return table::evolve_table(*plan, options, profiler);
  });
  options.evolution.cancel = {};
  TableNetwork network = make_table_network(take(std::move(outcome)), options);
  network.was_interrupted = work.was_interrupted();
  return network;
}

// ---- Use.

py::dict predict(const TableNetwork& network, const data::Table& table,
                 std::optional<double> level) {
  auto prediction = [&] {
    const py::gil_scoped_release release;
    return table::predict_table(network.model, table, level);
  }();
  return to_dict(take(std::move(prediction)).table);
}

std::string report_page(const TableNetwork& network, const std::string& data) {
  if (network.outcome == nullptr) {
    raise_error(Error(ErrorCode::FailedPrecondition,
                      "A report needs the evolution's record, which is not "
                      "stored with a model; make it before saving or "
                      "pickling, or fit again."));
  }
  return report::net_report_page(*network.outcome, network.options, data,
                                 report::net_picture(*network.outcome));
}

std::string to_svg(const TableNetwork& network) {
  return report::to_svg(network.network(), picture_options(network));
}

py::bytes to_onnx(const TableNetwork& network) {
  const Graph graph = evolution::to_graph(network.network());
  return take(onnx_bytes(std::vector<Var>{graph.named("output")}));
}

std::string to_cpp(const TableNetwork& network) {
  const report::PictureOptions names = picture_options(network);
  return evolution::to_cpp(
      network.network(),
      {.input_names = names.input_names,
       .output_names = names.output_names,
       .comment = cli::encoding_text(network.model.encoding)});
}

// The columns of a table that the network needs.
std::vector<std::string> column_names(const TableNetwork& network) {
  std::vector<std::string> names;
  for (const data::InputColumn& input : network.model.encoding.inputs()) {
    std::string name(data::time_column_name(input.name));
    if (name.empty()) name = input.name;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

void save(const TableNetwork& network, const std::string& path) {
  take(evolution::save_network(path, network.model.evolved));
}

TableNetwork load(const std::string& path) {
  return make_table_network(take(evolution::load_network(path)));
}

}  // namespace

void bind_table(py::module_& module) {
  py::class_<TableNetwork>(
      module, "TableNetwork",
      "An evolved network that predicts one column of a table.")
      .def("predict", &predict, "table"_a, "level"_a = py::none())
      .def("svg", &to_svg)
      .def("report", &report_page, "data"_a)
      .def("onnx", &to_onnx)
      .def("cpp", &to_cpp)
      .def("save", &save, "path"_a)
      .def_static("load", &load, "path"_a)
      .def(
          "network_bytes",
          [](const TableNetwork& self) {
            return py::bytes(evolution::network_to_bytes({self.network(), {}}));
          })
      .def_property_readonly("facts_json",
                             [](const TableNetwork& self) {
                               const auto& notes = self.model.evolved.notes;
                               const auto facts = notes.find("facts");
                               return facts == notes.end() ? std::string("{}")
                                                           : facts->second;
                             })
      .def_property_readonly("series_json",
                             [](const TableNetwork& self) {
                               const auto& notes = self.model.evolved.notes;
                               const auto series = notes.find("series");
                               return series == notes.end() ? std::string()
                                                            : series->second;
                             })
      .def_property_readonly("inputs",
                             [](const TableNetwork& self) {
                               return self.model.encoding.input_names();
                             })
      .def_property_readonly("classes",
                             [](const TableNetwork& self) {
                               return self.model.encoding.target().classes;
                             })
      .def_property_readonly("target",
                             [](const TableNetwork& self) {
                               return self.model.encoding.target().name;
                             })
      .def_property_readonly("columns", &column_names)
      .def_property_readonly("hidden_nodes",
                             [](const TableNetwork& self) {
                               return self.network().hidden_count();
                             })
      .def_property_readonly("parameters",
                             [](const TableNetwork& self) {
                               return self.network().parameters().size();
                             })
      .def_readonly("was_interrupted", &TableNetwork::was_interrupted)
      .def("_repr_svg_", &to_svg)
      .def(py::pickle(
          [](const TableNetwork& self) { return py::bytes(to_bytes(self)); },
          [](const py::bytes& bytes) {
            return from_bytes(std::string(bytes));
          }));
  module.def("evolve_table", &evolve_table, "table"_a, "test"_a = py::none(),
             "callback"_a = py::none());
}

}  // namespace lamarck::python
