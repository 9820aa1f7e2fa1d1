#include "lamarck/formula/block_machine.h"

#include <algorithm>
#include <utility>

namespace lamarck::formula {
namespace {

constexpr std::size_t kCachedDoubles = 3072;  // 24 KiB: most of the L1 cache.
constexpr std::size_t kMinRows = 64;
constexpr std::size_t kMaxRows = 512;

// The largest block for which all slots fit the cache, within limits.
std::size_t rows_of_block(std::size_t slots) {
  const std::size_t fitting = kCachedDoubles / std::max<std::size_t>(slots, 1);
  return std::clamp(fitting, kMinRows, kMaxRows) / kBlockStep * kBlockStep;
}

}  // namespace

BlockMachine::BlockMachine(BlockProgram program, std::size_t inputs,
                           std::size_t params)
    : program_(std::move(program)),
      params_(params),
      block_rows_(rows_of_block(program_.slots)),
      // Slots a power of two apart would compete for the same cache sets.
      stride_(block_rows_ + kBlockStep) {
  const std::size_t size = std::max<std::size_t>(program_.slots, 1) * stride_;
  slots_.reset(new (std::align_val_t{64}) double[size]());
  forward_.resize(program_.forward.size());
  backward_.resize(program_.backward.size());
  rest_.resize((inputs + 1 + params) * kBlockStep);
  rest_inputs_.resize(inputs);
}

BlockMachine::Cursor<const double> BlockMachine::source(
    Slot place, const Surroundings& around) {
  switch (place.kind) {
    case Slot::Kind::Number:
      return {around.numbers + place.index, 0};
    case Slot::Kind::Input:
      return {around.inputs[place.index], 1};
    default:
      const Cursor<double> cursor = target(place, around);
      return {cursor.base, cursor.step};
  }
}

BlockMachine::Cursor<double> BlockMachine::target(Slot place,
                                                  const Surroundings& around) {
  switch (place.kind) {
    case Slot::Kind::Slot:
      return {slot(place.index), 0};
    case Slot::Kind::Result:
      return {around.values, 1};
    case Slot::Kind::Jacobian:
      return {around.jacobian + place.index * around.jacobian_stride, 1};
    default:
      return {};
  }
}

void BlockMachine::bind(const Surroundings& around) {
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    const ForwardStep& step = program_.forward[i];
    forward_[i] = {step.kernel, source(step.a, around), source(step.b, around),
                   source(step.c, around), target(step.out, around)};
  }
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    const BackwardStep& step = program_.backward[i];
    backward_[i] = {step.kernel,
                    source(step.a, around),
                    source(step.b, around),
                    source(step.c, around),
                    source(step.out, around),
                    source(step.adjoint, around),
                    target(step.da.place, around),
                    target(step.db.place, around),
                    target(step.dc.place, around),
                    step.da.adds,
                    step.db.adds,
                    step.dc.adds};
  }
}

void BlockMachine::run_block(std::size_t row, std::size_t rows) {
  // All steps run on one block before the next, so that slots stay in the
  // cache.
  for (const ForwardCall& call : forward_) {
    call.kernel(call.a.at(row), call.b.at(row), call.c.at(row),
                call.out.at(row), rows);
  }
  for (const BackwardCall& call : backward_) {
    call.kernel({call.a.at(row),
                 call.b.at(row),
                 call.c.at(row),
                 call.out.at(row),
                 call.adjoint.at(row),
                 {call.da.at(row), call.adds_a},
                 {call.db.at(row), call.adds_b},
                 {call.dc.at(row), call.adds_c}},
                rows);
  }
}

void BlockMachine::fill_slots(const double* numbers) {
  for (const BlockProgram::FilledSlot& filled : program_.filled) {
    std::fill_n(slot(filled.slot), block_rows_, numbers[filled.number]);
  }
}

void BlockMachine::run(const Columns& columns, std::span<const double> numbers,
                       std::span<double> values, std::span<double> jacobian) {
  fill_slots(numbers.data());
  const Surroundings around = {columns.inputs, numbers.data(), values.data(),
                               jacobian.data(), columns.rows};
  const std::size_t full_rows = columns.rows / kBlockStep * kBlockStep;
  if (full_rows > 0) bind(around);
  for (std::size_t row = 0; row < full_rows; row += block_rows_) {
    run_block(row, std::min(block_rows_, full_rows - row));
  }
  // Kernels process whole vectors; the last few rows go through padded copies.
  if (full_rows < columns.rows) run_rest(columns, around, full_rows);
  if (jacobian.empty()) return;
  // No step writes the derivatives of params that do not influence the result.
  for (const std::uint32_t param : program_.flat_params) {
    std::fill_n(jacobian.data() + param * columns.rows, columns.rows, 0.0);
  }
}

void BlockMachine::run_rest(const Columns& columns, const Surroundings& around,
                            std::size_t from) {
  const std::size_t rows = columns.rows - from;
  double* to = rest_.data();
  for (std::size_t i = 0; i < rest_inputs_.size(); ++i, to += kBlockStep) {
    std::copy_n(columns.inputs[i] + from, rows, to);
    // The padding repeats the last row, so that it takes the same fast paths.
    std::fill(to + rows, to + kBlockStep, to[rows - 1]);
    rest_inputs_[i] = to;
  }
  double* const slopes = to + kBlockStep;
  bind({rest_inputs_, around.numbers, to, slopes, kBlockStep});
  run_block(0, kBlockStep);
  std::copy_n(to, rows, around.values + from);
  if (backward_.empty()) return;
  for (std::size_t p = 0; p < params_; ++p) {
    std::copy_n(slopes + p * kBlockStep, rows,
                around.jacobian + p * around.jacobian_stride + from);
  }
}

}  // namespace lamarck::formula
