#include "lamarck/evolution/neuron/neuron_plan.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/neuron/neuron_kernels.h"
#include "lamarck/tensor/flush_denormals.h"

namespace lamarck::evolution {
namespace {

// In place.
void softmax(float* values, std::size_t count) {
  const float largest = *std::max_element(values, values + count);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::exp(values[i] - largest);
    total += static_cast<double>(values[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(static_cast<double>(values[i]) / total);
  }
}

// The sum of squares of a row of values, without samples of weight 0.
double energy(const float* values, const float* importance, std::size_t rows) {
  double total = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto value = static_cast<double>(values[r]);
    if (importance[r] != 0) total += value * value;
  }
  return total;
}

}  // namespace

void NeuronPlan::Rows::reserve(std::size_t zeros_before, std::size_t count) {
  if (all != nullptr && count <= size && zeros_before <= zeros) return;
  zeros = std::max(zeros, zeros_before);
  size = std::max(size, count);
  all = allocate_floats(static_cast<std::int64_t>(zeros + size));
  std::fill_n(all.get(), zeros, 0.0f);
}

NeuronPlan::NeuronPlan(const NeuronTopology& topology, Loss loss)
    : program_(make_neuron_program(topology, loss)) {}

double NeuronPlan::loss(std::span<const float> weights,
                        const NeuronBatch& batch) {
  check(weights, batch);
  check_targets(batch);
  reserve(batch, false);
  const FlushDenormals flush;
  double total = 0;
  for (const NeuronBatch::Block& block : batch.blocks_) {
    const NeuronPass at = pass(weights, batch, block, false);
    neuron_forward(at);
    total += neuron_loss(at);
  }
  return total;
}

double NeuronPlan::loss_and_gradient(std::span<const float> weights,
                                     const NeuronBatch& batch,
                                     std::span<float> gradient) {
  check(weights, batch);
  check_targets(batch);
  REQUIRE(gradient.size() == weight_count(),
          "NeuronPlan::loss_and_gradient: the gradient must have {} numbers, "
          "one per weight, got {}.",
          weight_count(), gradient.size());
  reserve(batch, true);
  std::fill_n(slots_.begin(), weight_count() * neuron_slot_size(), 0.0f);
  const FlushDenormals flush;
  double total = 0;
  for (const NeuronBatch::Block& block : batch.blocks_) {
    const NeuronPass at = pass(weights, batch, block, true);
    neuron_forward(at);
    total += neuron_loss(at);
    neuron_backward(at);
  }
  sum_neuron_slots(program_, slots_.begin(), gradient.data());
  return total;
}

Tensor NeuronPlan::outputs(std::span<const float> weights,
                           const NeuronBatch& batch) {
  check(weights, batch);
  reserve(batch, false);
  const auto rows = static_cast<std::int64_t>(batch.rows());
  const auto steps = static_cast<std::int64_t>(batch.steps());
  const auto count = static_cast<std::int64_t>(program_.outputs);
  const FlushDenormals flush;
  Tensor all = Tensor::uninitialized({rows, steps, count});
  for (const NeuronBatch::Block& block : batch.blocks_) {
    const NeuronPass at = pass(weights, batch, block, false);
    neuron_forward(at);
    copy_outputs(at, block, all);
  }
  return batch.has_steps_ ? all : all.reshape({rows, count});
}

std::vector<double> NeuronPlan::node_energies(std::span<const float> weights,
                                              const NeuronBatch& batch) {
  check(weights, batch);
  reserve(batch, false);
  const FlushDenormals flush;
  std::vector<double> energies(program_.nodes.size(), 0.0);
  for (const NeuronBatch::Block& block : batch.blocks_) {
    const NeuronPass at = pass(weights, batch, block, false);
    neuron_forward(at);
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

void NeuronPlan::check(std::span<const float> weights,
                       const NeuronBatch& batch) const {
  REQUIRE(weights.size() == weight_count(),
          "NeuronPlan: the topology needs {} weights, got {}.", weight_count(),
          weights.size());
  REQUIRE(batch.inputs() == program_.inputs,
          "NeuronPlan: rows must have {} features, one per input, got {}.",
          program_.inputs, batch.inputs());
}

void NeuronPlan::check_targets(const NeuronBatch& batch) const {
  REQUIRE(batch.outputs() == program_.outputs || batch.rows() == 0,
          "NeuronPlan: rows must have {} targets, one per output, got {}.",
          program_.outputs, batch.outputs());
}

// Blocks are sorted from wide to narrow, so the first one needs the most room.
// The prefix of zeros has room for one step of the widest block.
void NeuronPlan::reserve(const NeuronBatch& batch, bool with_gradient) {
  const std::size_t width =
      batch.blocks_.empty() ? 0 : batch.blocks_.front().width;
  const std::size_t floats = batch.steps() * width;
  values_.reserve(program_.places * kMaxBlockWidth, program_.places * floats);
  sums_.reserve(0, program_.outputs * floats);
  if (!with_gradient) return;
  deltas_.reserve(program_.delta_rows * kMaxBlockWidth,
                  program_.delta_rows * floats);
  slots_.reserve(0, weight_count() * neuron_slot_size());
}

NeuronPass NeuronPlan::pass(std::span<const float> weights,
                            const NeuronBatch& batch,
                            const NeuronBatch::Block& block,
                            bool with_gradient) const {
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
          .deltas = with_gradient ? deltas_.begin() : nullptr,
          .slots = with_gradient ? slots_.begin() : nullptr};
}

// Transposes the outputs back from [steps, outputs, width] to rows.
void NeuronPlan::copy_outputs(const NeuronPass& pass,
                              const NeuronBatch::Block& block,
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
