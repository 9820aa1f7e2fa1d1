// Errors of the library as exceptions of Python.

#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "lamarck/base/error.h"
#include "lamarck/base/result.h"

namespace lamarck::python {

// Adds lamarck.Error, a ValueError with `code` and `fields`, to the module.
void bind_errors(pybind11::module_& module);

// Raises lamarck.Error. Flags such as --test-split are named as Python names
// them: test_split. REQUIRES: the caller holds the GIL.
[[noreturn]] void raise_error(const Error& error);

// The value of the result, or an exception. REQUIRES: the same.
template <class T>
T take(Result<T> result) {
  if (!result) raise_error(result.error());
  return std::move(*result);
}
inline void take(const Result<void>& result) {
  if (!result) raise_error(result.error());
}

}  // namespace lamarck::python
