#pragma once

#include <string>

namespace lamarck {

// The matrix library in use, as it describes itself.
struct BlasLibrary {
  std::string version;    // "OpenBLAS 0.3.21".
  std::string processor;  // What its kernels were chosen for: "Haswell".
};

BlasLibrary blas_library();

}  // namespace lamarck
