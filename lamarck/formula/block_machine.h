// Runs a program over all rows of the data, block by block.

#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "lamarck/formula/block_program.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::formula {

// Allocates only at construction. Thread safety: owned by one thread at a time.
class BlockMachine {
 public:
  BlockMachine(BlockProgram program, std::size_t inputs, std::size_t params);

  const BlockProgram& program() const { return program_; }

  // Writes values[row] and, if the program computes derivatives, jacobian[param
  // * rows + row]; otherwise `jacobian` may be empty. REQUIRES: all inputs and
  // numbers that the program refers to.
  void run(const Columns& columns, std::span<const double> numbers,
           std::span<double> values, std::span<double> jacobian);

 private:
  // The memory that the places of a program refer to in one run.
  struct Surroundings {
    std::span<const double* const> inputs;
    const double* numbers;
    double* values;
    double* jacobian;
    std::size_t jacobian_stride;
  };
  template <class T>
  struct Cursor {
    T* base = nullptr;
    std::size_t step = 0;  // 1 if it advances with the rows, else 0.
    T* at(std::size_t row) const { return base + row * step; }
  };
  struct ForwardCall {
    ForwardKernel kernel;
    Cursor<const double> a, b, c;
    Cursor<double> out;
  };
  struct BackwardCall {
    BackwardKernel kernel;
    Cursor<const double> a, b, c, out, adjoint;
    Cursor<double> da, db, dc;
    bool adds_a, adds_b, adds_c;
  };
  struct FreeAligned {
    void operator()(double* memory) const {
      ::operator delete[](memory, std::align_val_t{64});
    }
  };

  double* slot(std::size_t index) { return slots_.get() + index * stride_; }
  Cursor<const double> source(Slot place, const Surroundings& around);
  Cursor<double> target(Slot place, const Surroundings& around);
  void fill_slots(const double* numbers);
  void bind(const Surroundings& around);
  void run_block(std::size_t row, std::size_t rows);
  void run_rest(const Columns& columns, const Surroundings& around,
                std::size_t from);

  BlockProgram program_;
  std::size_t params_;
  std::size_t block_rows_;
  std::size_t stride_;  // Doubles from one slot to the next.
  std::unique_ptr<double[], FreeAligned> slots_;
  std::vector<ForwardCall> forward_;
  std::vector<BackwardCall> backward_;
  // Padded inputs, values and slopes of the last rows.
  std::vector<double> rest_;
  std::vector<const double*> rest_inputs_;
};

}  // namespace lamarck::formula
