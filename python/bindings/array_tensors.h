// Tensors between NumPy and C++.

#pragma once

#include <pybind11/numpy.h>

#include "lamarck/tensor/tensor.h"

namespace lamarck::python {

// Any array of numbers, converted to floats in row-major order if needed.
using Floats = pybind11::array_t<float, pybind11::array::c_style |
                                            pybind11::array::forcecast>;

Tensor to_tensor(const Floats& array);

// An array of the tensor's elements, without a copy: it keeps the tensor.
pybind11::array to_array(Tensor tensor);

}  // namespace lamarck::python
