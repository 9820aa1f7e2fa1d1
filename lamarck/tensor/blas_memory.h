// OpenBLAS for threads that compute side by side.
//
// Each product borrows a piece of memory from a list of the library's. Its
// serial build changes that list without a lock, so that two threads may get
// the same piece, and wrong results. Two functions of ours stand before the
// library's own of the same names, and let one thread at a time pass.

#pragma once

namespace lamarck {

// Finds the library's own functions. To be called before the first product.
void guard_blas_memory();

}  // namespace lamarck
