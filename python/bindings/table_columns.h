// Tables between Python and C++.

#pragma once

#include <pybind11/pybind11.h>

#include "lamarck/data/table.h"

namespace lamarck::python {

// Makes a table of (name, values) pairs. Values are an array of numbers or a
// list of texts, read as cells of a CSV file. A third item of True makes every
// text a category, exactly as written.
data::Table make_table(const pybind11::iterable& columns);

// {name: array of numbers or list of texts}; a missing text is None.
pybind11::dict to_dict(const data::Table& table);

}  // namespace lamarck::python
