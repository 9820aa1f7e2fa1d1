#include "python/bindings/array_tensors.h"

#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "python/bindings/python_error.h"

namespace lamarck::python {
namespace py = pybind11;

namespace {

Shape shape_of(const Floats& array) {
  const std::vector<std::int64_t> sizes(array.shape(),
                                        array.shape() + array.ndim());
  return Shape(sizes);
}

}  // namespace

Floats to_floats(const py::object& values) {
  if (py::isinstance<py::array>(values) || !py::hasattr(values, "__dlpack__") ||
      py::hasattr(values, "__array__")) {
    Floats array = Floats::ensure(values);
    if (array) return array;
    raise_error(invalid_argument(
        "The values must be an array of numbers, got " +
        std::string(py::str(py::type::of(values).attr("__name__"))) + "."));
  }
  return py::cast<Floats>(
      py::module_::import("numpy").attr("from_dlpack")(values));
}

Tensor to_tensor(const Floats& array) {
  return Tensor::from(
      shape_of(array),
      std::span<const float>(array.data(),
                             static_cast<std::size_t>(array.size())));
}

Tensor view_tensor(const Floats& array) {
  return Tensor::borrow(shape_of(array),
                        std::shared_ptr<float[]>(
                            const_cast<float*>(array.data()), [](float*) {}));
}

py::array to_array(Tensor tensor) {
  auto kept = std::make_unique<Tensor>(std::move(tensor));
  Tensor* const view = kept.get();
  const py::capsule owner(kept.release(), [](void* pointer) {
    delete static_cast<Tensor*>(pointer);
  });
  std::vector<py::ssize_t> sizes;
  std::vector<py::ssize_t> strides;
  for (std::size_t axis = 0; axis < view->rank(); ++axis) {
    sizes.push_back(view->size(static_cast<std::int64_t>(axis)));
    strides.push_back(view->strides()[axis] *
                      static_cast<py::ssize_t>(sizeof(float)));
  }
  return py::array(py::dtype::of<float>(), sizes, strides,
                   view->begin_of_data(), owner);
}

}  // namespace lamarck::python
