#include "python/bindings/array_tensors.h"

#include <memory>
#include <vector>

namespace lamarck::python {
namespace py = pybind11;

Tensor to_tensor(const Floats& array) {
  const std::vector<std::int64_t> sizes(array.shape(),
                                        array.shape() + array.ndim());
  return Tensor::from(
      Shape(sizes), std::span<const float>(
                        array.data(), static_cast<std::size_t>(array.size())));
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
