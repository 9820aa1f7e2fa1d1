// Options that Python gives by their names.

#pragma once

#include <pybind11/stl.h>

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "lamarck/base/error.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {

class GivenOptions {
 public:
  explicit GivenOptions(const pybind11::dict& given) : given_(given) {}

  // Whether the option is given and not None.
  bool has(const char* name) const {
    return given_.contains(name) && !given_[name].is_none();
  }
  // Raises lamarck.Error if the value is of another type.
  template <class T>
  T get(const char* name) const {
    const pybind11::object value = given_[name];
    try {
      return pybind11::cast<T>(value);
    } catch (const pybind11::cast_error&) {
      raise_error(invalid_argument(
          std::string(name) + " must be " + kind<T>() + ", got " +
          std::string(pybind11::str(pybind11::repr(value))) + "."));
    }
  }
  // Sets the value if the option is given.
  template <class T>
  void set(const char* name, std::optional<T>& value) const {
    if (has(name)) value = get<T>(name);
  }
  bool is_true(const char* name) const { return has(name) && get<bool>(name); }

 private:
  template <class T>
  static const char* kind() {
    if constexpr (std::same_as<T, bool>) {
      return "True or False";
    } else if constexpr (std::unsigned_integral<T>) {
      return "an integer of at least 0";
    } else if constexpr (std::integral<T>) {
      return "an integer";
    } else if constexpr (std::floating_point<T>) {
      return "a number";
    } else if constexpr (std::same_as<T, std::string>) {
      return "a text";
    } else {
      return "a list of texts";
    }
  }

  const pybind11::dict& given_;
};

}  // namespace lamarck::python
