#include <pybind11/pybind11.h>

#include "lamarck/base/version.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"

PYBIND11_MODULE(_core, module) {
  using namespace lamarck::python;
  module.doc() = "The library in C++; `import lamarck` shows what is for use.";
  module.attr("__version__") = std::string(lamarck::version());
  bind_errors(module);
  bind_graph(module);
  bind_nn(module);
  bind_optim(module);
  bind_data(module);
  bind_table(module);
  bind_law(module);
  bind_neat(module);
  bind_thought(module);
  bind_archipelago(module);
  bind_program(module);
}
