// Applies one operation to a block of rows with SIMD.
//
// Blocks are arrays of doubles, aligned to 64 bytes, whose length is a multiple
// of kBlockStep. Padding after the last row is computed too and must be
// readable and writable.

#pragma once

#include <cstddef>

#include "lamarck/formula/formula_operation.h"

namespace lamarck::formula {

inline constexpr std::size_t kBlockStep = 8;
inline constexpr std::size_t kBlockRows = 256;  // Fits the caches well.

// out[i] = op(a[i], b[i], c[i]). Arguments that the operation does not take may
// be null. `out` may be one of the arguments. REQUIRES: op is not a leaf.
void apply_block(Op op, const double* a, const double* b, const double* c,
                 double* out, std::size_t rows);

// Backpropagation: adds adjoint[i] * d out / d argument to each of da, db and
// dc that is not null. `adjoint` is the derivative with respect to `out`, and
// `out` holds the result of `apply_block`. At a jump or a corner, uses the
// derivative of one side; the derivative of a truth value is 0.
void backpropagate_block(Op op, const double* a, const double* b,
                         const double* c, const double* out,
                         const double* adjoint, double* da, double* db,
                         double* dc, std::size_t rows);

// The kernels themselves, for callers that use them often. They accept blocks
// of any alignment, and one of two operands may be a single number for all
// rows.
enum class Operands { Blocks, FirstIsNumber, SecondIsNumber };

using ForwardKernel = void (*)(const double* a, const double* b,
                               const double* c, double* out, std::size_t rows);

// The arguments of a backward kernel. A target is added to or overwritten; a
// null target is skipped.
struct Backflow {
  struct Target {
    double* to = nullptr;
    bool adds = true;  // Otherwise `to` is overwritten.
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

// REQUIRES: op is not a leaf; only binary operations take a number operand.
ForwardKernel forward_kernel(Op op, Operands operands);
BackwardKernel backward_kernel(Op op, Operands operands);

}  // namespace lamarck::formula
