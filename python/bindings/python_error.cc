#include "python/bindings/python_error.h"

#include <string>

namespace lamarck::python {
namespace py = pybind11;

namespace {

constexpr const char* kErrorDoc =
    R"(A request that cannot be served, explained by one sentence.

`code` is a word for programs, such as 'invalid_argument', and `fields` a dict
with details.

>>> import lamarck
>>> try:
...     lamarck.Graph().named("x")
... except lamarck.Error as error:
...     error.code
'not_found')";

// Owned by the module, which lives as long as the interpreter.
PyObject*& error_type() {
  static PyObject* type = nullptr;
  return type;
}

// Replaces --test-split by test_split.
std::string with_python_names(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_flag = text.compare(i, 2, "--") == 0 &&
                             i + 2 < text.size() && text[i + 2] >= 'a' &&
                             text[i + 2] <= 'z' &&
                             (i == 0 || text[i - 1] != '-');
    if (!begins_flag) {
      result += text[i];
      continue;
    }
    for (i += 2; i < text.size(); ++i) {
      const char c = text[i];
      if (c != '-' && (c < 'a' || c > 'z')) break;
      result += c == '-' ? '_' : c;
    }
    --i;
  }
  return result;
}

}  // namespace

void raise_error(const Error& error) {
  const py::object type = py::reinterpret_borrow<py::object>(error_type());
  const py::object raised = type(with_python_names(error.message()));
  raised.attr("code") = std::string(error_code_name(error.code()));
  py::dict fields;
  for (const auto& [name, value] : error.fields()) {
    fields[py::str(name)] = value;
  }
  raised.attr("fields") = fields;
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw py::error_already_set();
}

void bind_errors(py::module_& module) {
  error_type() = PyErr_NewExceptionWithDoc("lamarck.Error", kErrorDoc,
                                           PyExc_ValueError, nullptr);
  const py::handle type = error_type();
  // Of an error that Python raises.
  type.attr("code") = "invalid_argument";
  type.attr("fields") = py::dict();
  module.attr("Error") = py::reinterpret_borrow<py::object>(error_type());
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const LogicError& error) {
      try {
        raise_error(error.error());
      } catch (py::error_already_set& raised) {
        raised.restore();
      }
    }
  });
}

}  // namespace lamarck::python
