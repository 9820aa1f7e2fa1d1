// One operation over a block of rows, with the widest vectors of the machine.
//
// Blocks are arrays of doubles, aligned to 64 bytes, whose length is a multiple
// of kBlockStep; what lies behind the last row is computed too and must be
// readable and writable.

#pragma once

#include <cstddef>

#include "lamarck/formula/formula_operation.h"

namespace lamarck::formula {

inline constexpr std::size_t kBlockStep = 8;
inline constexpr std::size_t kBlockRows = 256;  // What fits the caches well.

// out[i] = op(a[i], b[i], c[i]); arguments that the operation does not take may
// be null. `out` may be one of the arguments. Not for leaves.
void apply_block(Op op, const double* a, const double* b, const double* c,
                 double* out, std::size_t rows);

// Adds to each of da, db, dc that is not null what `adjoint`, the derivative by
// `out`, makes of it. `out` holds what `apply_block` gave. Where an operation
// has a jump or a corner the derivative is that of one side; of a truth, 0.
void backpropagate_block(Op op, const double* a, const double* b,
                         const double* c, const double* out,
                         const double* adjoint, double* da, double* db,
                         double* dc, std::size_t rows);

// The same for a plan that asks often: the kernel itself, for blocks of any
// alignment, where one of two operands may be a single number for all rows.
enum class Operands { Blocks, FirstIsNumber, SecondIsNumber };

using ForwardKernel = void (*)(const double* a, const double* b,
                               const double* c, double* out, std::size_t rows);

// What flows back through one operation. A target that does not add is
// overwritten; one that is null is left out.
struct Backflow {
  struct Target {
    double* to = nullptr;
    bool adds = true;
  };
  const double* a;
  const double* b;
  const double* c;
  const double* out;
  const double* adjoint;
  Target da;
  Target db;
  Target dc;
};
using BackwardKernel = void (*)(const Backflow& flow, std::size_t rows);

// REQUIRES: no leaf; numbers only for operations of two arguments.
ForwardKernel forward_kernel(Op op, Operands operands);
BackwardKernel backward_kernel(Op op, Operands operands);

}  // namespace lamarck::formula
