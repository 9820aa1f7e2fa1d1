// Chains of consecutive elementwise operations. All operations of a chain run
// on one block before the next block starts, so that a value is still in the L1
// cache when the next operation reads it.

#include <algorithm>

#include "lamarck/graph/internal/plan_parts.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

// In floats: 8 KiB, so that the blocks of a few operands fit into an L1 cache.
constexpr std::int64_t kBlock = 2048;
// Values up to this size (256 KiB) stay in the L2 cache anyway, so splitting
// them into blocks gains nothing (measured with BM_ElementwiseChain).
constexpr std::int64_t kLargestSingle = 65536;

std::size_t as_size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

}  // namespace

// Returns the size of the rows that a step processes: 0 if it walks both inputs
// in a straight line, so that any block size works. Returns nullopt if the step
// cannot be split into blocks, because it is not elementwise or broadcasts
// along more than one axis.
std::optional<std::int64_t> Plan::row_size_in_chain(const Step& step) {
  if (step.operation->unary != nullptr) return 0;
  if (step.operation->binary == nullptr || step.broadcast.rank > 1) {
    return std::nullopt;
  }
  return step.broadcast.rank == 0 ? 0 : step.broadcast.row_size;
}

// The gradient of a block must touch only that block. That fails if an input
// was broadcast, because its gradient sums over blocks, and if both inputs are
// the same slot, whose gradient must be cleared as a whole first.
bool Plan::has_blockwise_gradient(const Step& step) const {
  const Slot& slot = slots_[step.slot];
  const auto inputs = step.input_slots;
  if (inputs.size() == 2 && inputs[0] == inputs[1]) return false;
  return std::ranges::all_of(inputs, [&](std::size_t input) {
    return !slots_[input].needs_gradient || slots_[input].shape == slot.shape;
  });
}

// Collects maximal runs of steps with equal shapes and compatible row sizes.
void Plan::find_chains() {
  const auto fits = [&](const Step& step, const Chain& chain) {
    const auto row_size = row_size_in_chain(step);
    const Shape& shape = slots_[step.slot].shape;
    return row_size && shape.element_count() > kLargestSingle &&
           (chain.begin == chain.end ||
            (shape == slots_[steps_[chain.begin].slot].shape &&
             (*row_size == 0 || chain.row_size == 0 ||
              *row_size == chain.row_size)));
  };
  Chain chain;
  for (std::size_t at = 0; at <= steps_.size(); ++at) {
    if (at < steps_.size() && fits(steps_[at], chain)) {
      chain.row_size = std::max(chain.row_size, *row_size_in_chain(steps_[at]));
      chain.end = at + 1;
      continue;
    }
    // A chain of one step saves nothing.
    if (chain.end > chain.begin + 1) add_chain(chain);
    chain = {.begin = at + 1, .end = at + 1};
    // The step that did not fit may start the next chain.
    if (at < steps_.size() && fits(steps_[at], chain)) {
      chain = {.begin = at,
               .end = at + 1,
               .row_size = *row_size_in_chain(steps_[at])};
    }
  }
}

void Plan::add_chain(Chain chain) {
  // The value runs in blocks in any case; the gradient only if every step
  // allows it.
  chain.has_gradient = true;
  for (std::size_t at = chain.begin; at < chain.end; ++at) {
    steps_[at].chain_end = chain.end;
    chain.has_gradient &= has_blockwise_gradient(steps_[at]);
  }
  if (chain.has_gradient) {
    for (std::size_t at = chain.begin; at < chain.end; ++at) {
      steps_[at].gradient_chain_begin = chain.begin;
    }
  }
  chains_.push_back(chain);
}

namespace {

void run_value_block(const ValueCall& call, std::int64_t begin,
                     std::int64_t count) {
  float* to = call.output.data + begin;
  if (call.operation->unary != nullptr) {
    call.operation->unary->value(call.inputs[0].data + begin, to,
                                 as_size(count),
                                 call.attributes->numbers.data());
    return;
  }
  const BroadcastPlan& plan = *call.broadcast;
  const BinaryOp& op = *call.operation->binary;
  const float* a = call.inputs[0].data;
  const float* b = call.inputs[1].data;
  if (plan.rank == 0) {
    const std::size_t at = as_size(begin);
    op.value(a + at * plan.a_step, plan.a_step, b + at * plan.b_step,
             plan.b_step, to, as_size(count));
    return;
  }
  // Blocks hold whole rows, so `begin` is the start of a row.
  const std::int64_t first = begin / plan.row_size;
  for (std::int64_t row = 0; row * plan.row_size < count; ++row) {
    op.value(a + (first + row) * plan.a_strides[0], plan.a_step,
             b + (first + row) * plan.b_strides[0], plan.b_step,
             to + row * plan.row_size, as_size(plan.row_size));
  }
}

void run_binary_gradient_block(const GradientCall& call, std::size_t i,
                               std::int64_t begin, std::int64_t count) {
  if (call.input_gradients[i] == nullptr) return;
  const BroadcastPlan& plan = *call.broadcast;
  const BinaryOp& op = *call.operation->binary;
  float* place = call.input_gradients[i] + begin;
  // The kernels overwrite their output, so accumulation takes a detour through
  // scratch memory.
  float* to = call.accumulate[i] ? call.scratch : place;
  const auto slope = i == 0 ? op.gradient_a : op.gradient_b;
  const float* a = call.inputs[0].data;
  const float* b = call.inputs[1].data;
  const float* dy = call.output_gradient + begin;
  if (plan.rank == 0) {
    const std::size_t at = as_size(begin);
    slope(a + at * plan.a_step, plan.a_step, b + at * plan.b_step, plan.b_step,
          dy, to, as_size(count));
  } else {
    const std::int64_t first = begin / plan.row_size;
    for (std::int64_t row = 0; row * plan.row_size < count; ++row) {
      slope(a + (first + row) * plan.a_strides[0], plan.a_step,
            b + (first + row) * plan.b_strides[0], plan.b_step,
            dy + row * plan.row_size, to + row * plan.row_size,
            as_size(plan.row_size));
    }
  }
  if (to != place) add_to(to, place, as_size(count));
}

void run_gradient_block(const GradientCall& call, std::int64_t begin,
                        std::int64_t count) {
  if (call.operation->unary != nullptr) {
    call.operation->unary->gradient(
        call.inputs[0].data + begin, call.output.data + begin,
        call.output_gradient + begin, call.input_gradients[0] + begin,
        as_size(count), call.attributes->numbers.data(), call.accumulate[0]);
    return;
  }
  // If one input gradient shares memory with the output gradient, compute it
  // last: it overwrites what the other one still has to read.
  const bool is_first_in_place =
      call.input_gradients[0] == call.output_gradient;
  run_binary_gradient_block(call, is_first_in_place ? 1 : 0, begin, count);
  run_binary_gradient_block(call, is_first_in_place ? 0 : 1, begin, count);
}

// Calls block(begin, count) for all elements, in blocks of whole rows.
template <class F>
void for_each_block(std::int64_t total, std::int64_t row_size, F&& block) {
  const std::int64_t rows =
      row_size == 0 ? kBlock : std::max<std::int64_t>(1, kBlock / row_size);
  const std::int64_t size = rows * std::max<std::int64_t>(1, row_size);
  for (std::int64_t begin = 0; begin < total; begin += size) {
    block(begin, std::min(size, total - begin));
  }
}

}  // namespace

void Plan::run_chain(const Chain& chain) {
  const std::int64_t total =
      slots_[steps_[chain.begin].slot].shape.element_count();
  for_each_block(total, chain.row_size,
                 [&](std::int64_t begin, std::int64_t count) {
                   for (std::size_t at = chain.begin; at < chain.end; ++at) {
                     run_value_block(steps_[at].value_call, begin, count);
                   }
                 });
}

void Plan::run_chain_gradient(const Chain& chain) {
  const std::int64_t total =
      slots_[steps_[chain.begin].slot].shape.element_count();
  for_each_block(total, chain.row_size,
                 [&](std::int64_t begin, std::int64_t count) {
                   for (std::size_t at = chain.end; at-- > chain.begin;) {
                     if (!steps_[at].has_gradient) continue;
                     run_gradient_block(steps_[at].gradient_call, begin, count);
                   }
                 });
}

}  // namespace lamarck
