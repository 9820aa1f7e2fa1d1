// The folder data: tables.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>
#include <string>
#include <vector>

#include "lamarck/data/cell_column.h"
#include "lamarck/data/csv.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"
#include "python/bindings/table_columns.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using data::Column;
using data::ColumnKind;
using data::Table;

Column make_number_column(std::string name, const py::handle& values) {
  using Doubles =
      py::array_t<double, py::array::c_style | py::array::forcecast>;
  const auto numbers = py::cast<Doubles>(values);
  const auto view = numbers.unchecked<1>();
  Column column{.name = std::move(name)};
  column.numbers.assign(view.data(0), view.data(0) + view.shape(0));
  return column;
}

Column make_text_column(std::string name, const py::handle& values,
                        bool is_verbatim) {
  data::CsvOptions options;
  if (is_verbatim) {
    options.missing.clear();
    options.is_verbatim = true;
    options.max_categories = std::numeric_limits<std::size_t>::max();
  }
  return take(data::make_column(
      std::move(name), py::cast<std::vector<std::string>>(values), options));
}

py::object to_python(const Column& column) {
  if (column.kind == ColumnKind::Number) {
    return py::array_t<double>(static_cast<py::ssize_t>(column.numbers.size()),
                               column.numbers.data());
  }
  py::list texts;
  for (const std::int32_t code : column.codes) {
    if (code == Column::kMissing) {
      texts.append(py::none());
    } else {
      texts.append(column.values[static_cast<std::size_t>(code)]);
    }
  }
  return py::object(std::move(texts));
}

}  // namespace

Table make_table(const py::iterable& columns) {
  std::vector<Column> made;
  for (const py::handle& each : columns) {
    const auto column = py::cast<py::tuple>(each);
    auto name = py::cast<std::string>(column[0]);
    const py::object values = column[1];
    const bool is_verbatim = column.size() > 2 && py::cast<bool>(column[2]);
    made.push_back(
        py::isinstance<py::array>(values)
            ? make_number_column(std::move(name), values)
            : make_text_column(std::move(name), values, is_verbatim));
  }
  return Table(std::move(made));
}

py::dict to_dict(const Table& table) {
  py::dict result;
  for (const Column& column : table.columns()) {
    result[py::str(column.name)] = to_python(column);
  }
  return result;
}

void bind_data(py::module_& module) {
  py::class_<Table>(module, "Table",
                    "Named columns of numbers or texts, as a CSV file has "
                    "them.")
      .def(py::init(&make_table), "columns"_a)
      .def_static(
          "read_csv",
          [](const std::string& path) { return take(data::read_csv(path)); },
          "path"_a)
      .def("to_csv", [](const Table& table) { return data::to_csv(table); })
      .def("to_dict", &to_dict)
      .def_property_readonly("column_names", &Table::column_names)
      .def("__len__", &Table::row_count);
}

}  // namespace lamarck::python
