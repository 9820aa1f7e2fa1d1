// Tensors between NumPy and C++.

#pragma once

#include <pybind11/numpy.h>

#include "lamarck/tensor/tensor.h"

namespace lamarck::python {

// Any array of numbers, converted to floats in row-major order if needed.
using Floats = pybind11::array_t<float, pybind11::array::c_style |
                                            pybind11::array::forcecast>;

// The floats of a sequence of numbers, an array, or anything with DLPack's
// interface. Copies only if they are of another type or order.
Floats to_floats(const pybind11::object& values);

// A copy of the elements.
Tensor to_tensor(const Floats& array);
// The elements themselves. REQUIRES: the array outlives the tensor, which is
// not written to.
Tensor view_tensor(const Floats& array);

// An array of the tensor's elements, without a copy: it keeps the tensor.
pybind11::array to_array(Tensor tensor);

}  // namespace lamarck::python
