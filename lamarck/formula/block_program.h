// Compiles an expression to a list of steps, each of which computes one block
// of rows with one kernel. Nodes that depend on no input are numbers, not
// steps.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/formula/block_kernels.h"
#include "lamarck/formula/expression.h"
#include "lamarck/formula/uniform_nodes.h"

namespace lamarck::formula {

// Where a step reads or writes.
struct Slot {
  enum class Kind : std::uint8_t {
    Nowhere,
    Number,    // One number for all rows.
    Input,     // A column of the data.
    Slot,      // A block of scratch memory.
    Result,    // The values of the expression.
    Jacobian,  // The derivatives with respect to one param.
  };
  Kind kind = Kind::Nowhere;
  std::uint32_t index = 0;

  bool is_somewhere() const { return kind != Kind::Nowhere; }
};

struct ForwardStep {
  ForwardKernel kernel;
  Slot a;
  Slot b;
  Slot c;
  Slot out;
};

struct BackwardStep {
  struct Target {
    Slot place;
    bool adds = false;  // False for the first write.
  };
  BackwardKernel kernel;
  Slot a;
  Slot b;
  Slot c;
  Slot out;
  Slot adjoint;
  Target da;
  Target db;
  Target dc;
};

struct BlockProgram {
  // A number that holds d node / d param for a uniform node.
  struct NumberSlope {
    NodeIndex node;
    std::uint32_t param;
    std::uint32_t number;
  };
  // A slot that holds one number in all rows.
  struct FilledSlot {
    std::uint32_t slot;
    std::uint32_t number;
  };

  std::vector<ForwardStep> forward;
  std::vector<BackwardStep> backward;
  std::vector<FilledSlot> filled;
  std::vector<NumberSlope> number_slopes;
  std::vector<std::uint32_t> flat_params;  // Params with derivative 0.
  std::size_t slots = 0;
  std::size_t numbers = 0;  // Nodes, then the number 1, then the slopes.
  std::uint32_t one = 0;    // The index of the number 1.
};

// Computes values only, and reuses slots as soon as possible. REQUIRES: the
// expression depends on an input.
BlockProgram value_program(const Expression& expression,
                           const UniformNodes& uniform);
// Also computes the derivatives with respect to all params, by reverse-mode
// differentiation; it keeps all values until then. Same requirement.
BlockProgram jacobian_program(const Expression& expression,
                              const UniformNodes& uniform);

}  // namespace lamarck::formula
