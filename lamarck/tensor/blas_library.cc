#include "lamarck/tensor/blas_library.h"

#include <cblas.h>

#include <sstream>

namespace lamarck {

BlasLibrary blas_library() {
  // "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=128"
  std::istringstream config(openblas_get_config());
  std::string name;
  std::string number;
  config >> name >> number;
  return {name + " " + number, openblas_get_corename()};
}

}  // namespace lamarck
