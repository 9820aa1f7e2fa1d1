// The parts of the module lamarck._core, one for each folder of the library.

#pragma once

#include <pybind11/pybind11.h>

namespace lamarck::python {

void bind_graph(pybind11::module_& module);
void bind_nn(pybind11::module_& module);
void bind_optim(pybind11::module_& module);
void bind_neat(pybind11::module_& module);
void bind_data(pybind11::module_& module);
void bind_table(pybind11::module_& module);
void bind_law(pybind11::module_& module);
void bind_thought(pybind11::module_& module);
void bind_archipelago(pybind11::module_& module);
void bind_program(pybind11::module_& module);

}  // namespace lamarck::python
