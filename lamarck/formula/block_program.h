// An expression as a list of steps, each of which computes one block of rows
// with one kernel. Nodes without inputs are numbers and no steps at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/formula/block_kernels.h"
#include "lamarck/formula/expression.h"
#include "lamarck/formula/uniform_nodes.h"

namespace lamarck::formula {

// Where a step reads or writes.
struct Place {
  enum class Kind : std::uint8_t {
    Nowhere,
    Number,    // One for all rows.
    Input,     // A column of the data.
    Slot,      // A block of the plan's own.
    Result,    // The values.
    Jacobian,  // The derivatives by one param.
  };
  Kind kind = Kind::Nowhere;
  std::uint32_t index = 0;

  bool is_somewhere() const { return kind != Kind::Nowhere; }
};

struct ForwardStep {
  ForwardKernel kernel;
  Place a;
  Place b;
  Place c;
  Place out;
};

struct BackwardStep {
  struct Target {
    Place place;
    bool adds = false;  // Else it is the first to write.
  };
  BackwardKernel kernel;
  Place a;
  Place b;
  Place c;
  Place out;
  Place adjoint;
  Target da;
  Target db;
  Target dc;
};

struct BlockProgram {
  // A number that is not the value of a node: d node / d param.
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
  std::vector<std::uint32_t> flat_params;  // Nothing flows to them: slope 0.
  std::size_t slots = 0;
  std::size_t numbers = 0;  // Of the nodes, the number 1, the slopes.
  std::uint32_t one = 0;    // Which number is 1.
};

// Only values, with slots used again as soon as possible.
// REQUIRES: the expression has an input, at the root or below.
BlockProgram value_program(const Expression& expression,
                           const UniformNodes& uniform);
// Also the derivatives by all params, backwards from the values.
BlockProgram jacobian_program(const Expression& expression,
                              const UniformNodes& uniform);

}  // namespace lamarck::formula
