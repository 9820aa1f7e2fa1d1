#include "lamarck/tensor/blas_library.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

TEST(BlasLibrary, IsOpenBlasAndNoSlowStandIn) {
  const BlasLibrary library = blas_library();
  EXPECT_EQ(library.version.rfind("OpenBLAS ", 0), 0u) << library.version;
  EXPECT_FALSE(library.processor.empty());
}

}  // namespace
}  // namespace lamarck
