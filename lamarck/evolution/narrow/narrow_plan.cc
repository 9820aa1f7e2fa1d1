#include "lamarck/evolution/narrow/narrow_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/narrow/narrow_kernels.h"

namespace lamarck::evolution {
namespace {

// In place.
void softmax(float* values, std::size_t count) {
  const float most = *std::max_element(values, values + count);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::exp(values[i] - most);
    total += static_cast<double>(values[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(static_cast<double>(values[i]) / total);
  }
}

// The squares of a row of values, of those samples that count.
double energy(const float* values, const float* importance, std::size_t rows) {
  double total = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto value = static_cast<double>(values[r]);
    if (importance[r] != 0) total += value * value;
  }
  return total;
}

}  // namespace

void NarrowPlan::Rows::reserve(std::size_t zeros_before, std::size_t count) {
  if (all != nullptr && count <= size && zeros_before <= zeros) return;
  zeros = std::max(zeros, zeros_before);
  size = std::max(size, count);
  all = allocate_floats(static_cast<std::int64_t>(zeros + size));
  std::fill_n(all.get(), zeros, 0.0f);
}

NarrowPlan::NarrowPlan(const NarrowTopology& topology, Loss loss)
    : program_(make_narrow_program(topology, loss)) {}

double NarrowPlan::loss(std::span<const float> weights,
                        const NarrowBatch& batch) {
  check(weights, batch);
  check_targets(batch);
  reserve(batch, false);
  double total = 0;
  for (const NarrowBatch::Block& block : batch.blocks_) {
    const NarrowPass at = pass(weights, batch, block, false);
    narrow_forward(at);
    total += narrow_loss(at);
  }
  return total;
}

double NarrowPlan::loss_and_gradient(std::span<const float> weights,
                                     const NarrowBatch& batch,
                                     std::span<float> gradient) {
  check(weights, batch);
  check_targets(batch);
  REQUIRE(gradient.size() == weight_count(),
          "NarrowPlan: the gradient has as many numbers as the weights");
  reserve(batch, true);
  std::fill_n(slots_.begin(), weight_count() * narrow_slot_size(), 0.0f);
  double total = 0;
  for (const NarrowBatch::Block& block : batch.blocks_) {
    const NarrowPass at = pass(weights, batch, block, true);
    narrow_forward(at);
    total += narrow_loss(at);
    narrow_backward(at);
  }
  sum_narrow_slots(program_, slots_.begin(), gradient.data());
  return total;
}

Tensor NarrowPlan::outputs(std::span<const float> weights,
                           const NarrowBatch& batch) {
  check(weights, batch);
  reserve(batch, false);
  const auto rows = static_cast<std::int64_t>(batch.rows());
  const auto steps = static_cast<std::int64_t>(batch.steps());
  const auto count = static_cast<std::int64_t>(program_.outputs);
  Tensor all = Tensor::uninitialized({rows, steps, count});
  for (const NarrowBatch::Block& block : batch.blocks_) {
    const NarrowPass at = pass(weights, batch, block, false);
    narrow_forward(at);
    copy_outputs(at, block, all);
  }
  return batch.has_steps_ ? all : all.reshape({rows, count});
}

std::vector<double> NarrowPlan::node_energies(std::span<const float> weights,
                                              const NarrowBatch& batch) {
  check(weights, batch);
  reserve(batch, false);
  std::vector<double> energies(program_.nodes.size(), 0.0);
  for (const NarrowBatch::Block& block : batch.blocks_) {
    const NarrowPass at = pass(weights, batch, block, false);
    narrow_forward(at);
    for (std::size_t step = 0; step < batch.steps(); ++step) {
      const float* values = at.values_at(step) + program_.inputs * block.width;
      for (std::size_t i = 0; i < energies.size(); ++i) {
        energies[i] += energy(values + i * block.width,
                              at.importance + step * block.width, block.rows);
      }
    }
  }
  return energies;
}

void NarrowPlan::check(std::span<const float> weights,
                       const NarrowBatch& batch) const {
  REQUIRE(weights.size() == weight_count(),
          fmt::format("NarrowPlan: {} weights, but the topology has {}",
                      weights.size(), weight_count()));
  REQUIRE(batch.inputs() == program_.inputs,
          fmt::format("NarrowPlan: rows of {} features, but {} inputs",
                      batch.inputs(), program_.inputs));
}

void NarrowPlan::check_targets(const NarrowBatch& batch) const {
  REQUIRE(batch.outputs() == program_.outputs || batch.rows() == 0,
          fmt::format("NarrowPlan: {} targets a row, but {} outputs",
                      batch.outputs(), program_.outputs));
}

void NarrowPlan::reserve(const NarrowBatch& batch, bool way_back) {
  const std::size_t width =
      batch.blocks_.empty() ? 0 : batch.blocks_.front().width;
  const std::size_t floats = batch.steps() * width;
  values_.reserve(program_.places * kWidestBlock, program_.places * floats);
  sums_.reserve(0, program_.outputs * floats);
  if (!way_back) return;
  deltas_.reserve(program_.delta_rows * kWidestBlock,
                  program_.delta_rows * floats);
  slots_.reserve(0, weight_count() * narrow_slot_size());
}

NarrowPass NarrowPlan::pass(std::span<const float> weights,
                            const NarrowBatch& batch,
                            const NarrowBatch::Block& block,
                            bool way_back) const {
  const std::size_t lanes = block.lane * batch.steps();
  const std::size_t target_lanes = batch.only_last_counts_ ? block.lane : lanes;
  return {.program = &program_,
          .weights = weights.data(),
          .width = block.width,
          .steps = batch.steps(),
          .inputs = batch.laid_inputs_.begin_of_data() + lanes * batch.inputs(),
          .targets = batch.laid_targets_.begin_of_data() +
                     target_lanes * batch.outputs(),
          .importance = batch.laid_importance_.begin_of_data() + lanes,
          .only_last_counts = batch.only_last_counts_,
          .values = values_.begin(),
          .sums = sums_.begin(),
          .deltas = way_back ? deltas_.begin() : nullptr,
          .slots = way_back ? slots_.begin() : nullptr};
}

void NarrowPlan::copy_outputs(const NarrowPass& pass,
                              const NarrowBatch::Block& block,
                              Tensor& to) const {
  const std::size_t count = program_.outputs;
  const std::size_t first = program_.places - count;
  float* target = to.begin_of_data() + block.first * pass.steps * count;
  for (std::size_t r = 0; r < block.rows; ++r) {
    for (std::size_t step = 0; step < pass.steps; ++step, target += count) {
      const float* values = pass.values_at(step) + first * block.width + r;
      for (std::size_t i = 0; i < count; ++i) {
        target[i] = values[i * block.width];
      }
      if (program_.loss == Loss::CrossEntropy) softmax(target, count);
    }
  }
}

}  // namespace lamarck::evolution
