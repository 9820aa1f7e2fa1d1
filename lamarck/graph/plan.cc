#include "lamarck/graph/internal/plan.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck {

// A node's place in the plan.
struct Plan::Slot {
  NodeId id = 0;
  Shape shape;
  bool is_leaf = false;
  bool needs_gradient = false;
  Tensor value;     // Not of a leaf, which keeps its own.
  Tensor gradient;  // Likewise; only if needed.

  // What to mend when a leaf's elements move.
  std::vector<ConstView*> value_uses;
  std::vector<float**> gradient_uses;
  const float* bound_value = nullptr;
  float* bound_gradient = nullptr;
  // Of a leaf: whether its first contribution adds to an older gradient.
  bool* first_accumulate = nullptr;
};

// One operation; its calls point into its own vectors.
struct Plan::Step {
  std::size_t slot = 0;
  std::vector<std::size_t> input_slots;
  Attributes attributes;
  BroadcastPlan broadcast;
  Tensor saved;
  std::int64_t scratch_size = 0;
  std::vector<ConstView> inputs;
  std::vector<float*> input_gradients;
  std::unique_ptr<bool[]> accumulate;
  ValueCall value_call;
  GradientCall gradient_call;
  bool has_gradient = false;
};

Plan::Plan(const GraphState& state, NodeId target) : topology_(state.topology) {
  collect(state, target);
  make_steps(state);
  make_gradients(state);
}

Plan::~Plan() = default;

// Depth first without recursion: a graph may be deep.
void Plan::collect(const GraphState& state, NodeId target) {
  struct Visit {
    NodeId id;
    std::size_t next_input = 0;
  };
  std::vector<char> seen(state.nodes.size(), 0);
  std::vector<Visit> path = {{target}};
  seen[target] = 1;
  while (!path.empty()) {
    Visit& visit = path.back();
    const Node& node = state.nodes[visit.id];
    if (visit.next_input < node.inputs.size()) {
      const NodeId input = node.inputs[visit.next_input++];
      if (seen[input] == 0) {
        seen[input] = 1;
        path.push_back({input});
      }
      continue;
    }
    Slot slot;
    slot.id = visit.id;
    slot.is_leaf = node.operation == nullptr;
    slots_.push_back(std::move(slot));
    path.pop_back();
  }
}

void Plan::make_steps(const GraphState& state) {
  std::unordered_map<NodeId, std::size_t> slot_of;
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    Slot& slot = slots_[at];
    slot_of[slot.id] = at;
    const Node& node = state.nodes[slot.id];
    if (slot.is_leaf) {
      slot.shape = node.value.shape();
      slot.needs_gradient = node.requires_gradient && !node.is_detached;
      continue;
    }
    auto step = std::make_unique<Step>();
    step->slot = at;
    step->attributes = node.attributes;
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::size_t from = slot_of.at(node.inputs[i]);
      step->input_slots.push_back(from);
      shapes.push_back(slots_[from].shape);
      slot.needs_gradient |= slots_[from].needs_gradient &&
                             i < node.operation->differentiable_inputs;
    }
    slot.needs_gradient &=
        node.operation->gradient != nullptr && !node.is_detached;
    slot.shape =
        node.operation->shape(*node.operation, shapes, node.attributes);
    slot.value = Tensor::uninitialized(slot.shape);
    if (node.operation->saved_size != nullptr) {
      step->saved = Tensor::uninitialized(
          {node.operation->saved_size(shapes, slot.shape, node.attributes)});
    }
    if (node.operation->scratch_size != nullptr) {
      step->scratch_size =
          node.operation->scratch_size(shapes, slot.shape, node.attributes);
    }
    if (node.operation->binary != nullptr) {
      step->broadcast = BroadcastPlan(shapes[0], shapes[1], slot.shape);
    }
    steps_.push_back(std::move(step));
  }
  // The slots stand still now: calls may point to them.
  for (const auto& step : steps_) {
    Slot& slot = slots_[step->slot];
    for (const std::size_t from : step->input_slots) {
      step->inputs.push_back(
          {slots_[from].is_leaf ? nullptr : slots_[from].value.begin_of_data(),
           &slots_[from].shape});
    }
    for (std::size_t i = 0; i < step->inputs.size(); ++i) {
      Slot& from = slots_[step->input_slots[i]];
      if (from.is_leaf) from.value_uses.push_back(&step->inputs[i]);
    }
    step->value_call = {state.nodes[slot.id].operation,
                        &step->attributes,
                        &step->broadcast,
                        step->inputs,
                        {slot.value.begin_of_data(), &slot.shape},
                        step->saved.begin_of_data()};
  }
}

void Plan::make_gradients(const GraphState& state) {
  for (Slot& slot : slots_) {
    if (slot.needs_gradient && !slot.is_leaf) {
      slot.gradient = Tensor::uninitialized(slot.shape);
    }
  }
  std::vector<char> is_written(slots_.size(), 0);
  for (std::size_t at = steps_.size(); at-- > 0;) {
    Step& step = *steps_[at];
    Slot& slot = slots_[step.slot];
    if (!slot.needs_gradient) continue;
    step.has_gradient = true;
    const Operation& operation = *state.nodes[slot.id].operation;
    const std::size_t count = step.input_slots.size();
    step.accumulate = std::make_unique<bool[]>(count);
    step.input_gradients.resize(count, nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      Slot& from = slots_[step.input_slots[i]];
      if (!from.needs_gradient || i >= operation.differentiable_inputs) {
        continue;
      }
      step.accumulate[i] = is_written[step.input_slots[i]] != 0;
      if (from.is_leaf) {
        from.gradient_uses.push_back(&step.input_gradients[i]);
        if (!step.accumulate[i]) from.first_accumulate = &step.accumulate[i];
      } else {
        step.input_gradients[i] = from.gradient.begin_of_data();
      }
      is_written[step.input_slots[i]] = 1;
    }
    step.gradient_call = {&operation,
                          &step.attributes,
                          &step.broadcast,
                          step.inputs,
                          {slot.value.begin_of_data(), &slot.shape},
                          slot.gradient.begin_of_data(),
                          step.input_gradients,
                          {step.accumulate.get(), count},
                          step.saved.begin_of_data()};
  }
  std::int64_t scratch_size = 0;
  for (const auto& step : steps_) {
    scratch_size = std::max(scratch_size, step->scratch_size);
  }
  scratch_ = Tensor::uninitialized({scratch_size});
  for (const auto& step : steps_) {
    step->value_call.scratch = scratch_.begin_of_data();
    step->gradient_call.scratch = scratch_.begin_of_data();
  }
}

bool Plan::fits(const GraphState& state) const {
  return topology_ == state.topology &&
         std::ranges::all_of(slots_, [&](const Slot& slot) {
           return !slot.is_leaf ||
                  state.nodes[slot.id].value.shape() == slot.shape;
         });
}

void Plan::bind_leaves(GraphState& state) {
  for (Slot& slot : slots_) {
    if (!slot.is_leaf) continue;
    Node& node = state.nodes[slot.id];
    const float* value = std::as_const(node.value).begin_of_data();
    if (value != slot.bound_value) {
      slot.bound_value = value;
      for (ConstView* use : slot.value_uses) use->data = value;
    }
    if (!slot.needs_gradient) continue;
    if (!(node.gradient.shape() == slot.shape)) {
      node.gradient = Tensor::uninitialized(slot.shape);
      node.has_gradient = false;
    }
    if (node.gradient.begin_of_data() != slot.bound_gradient) {
      slot.bound_gradient = node.gradient.begin_of_data();
      for (float** use : slot.gradient_uses) *use = slot.bound_gradient;
    }
  }
}

void Plan::forward(GraphState& state) {
  bind_leaves(state);
  for (const auto& step : steps_) {
    step->value_call.operation->value(step->value_call);
  }
  for (const auto& step : steps_) {
    const Slot& slot = slots_[step->slot];
    Node& node = state.nodes[slot.id];
    if (!node.value.shares_elements_with(slot.value)) node.value = slot.value;
    node.is_computed = true;
  }
  computed_pass_ = state.pass;
  consumed_pass_ = 0;
}

void Plan::backward(GraphState& state) {
  ENSURE(computed_pass_ == state.pass, "values are computed before gradients");
  bind_leaves(state);
  Slot& target = slots_.back();
  for (Slot& slot : slots_) {
    Node& node = state.nodes[slot.id];
    if (slot.is_leaf && slot.first_accumulate != nullptr) {
      *slot.first_accumulate = node.has_gradient;
    }
  }
  if (target.needs_gradient && !target.is_leaf) target.gradient.data()[0] = 1;
  for (std::size_t at = steps_.size(); at-- > 0;) {
    const Step& step = *steps_[at];
    if (step.has_gradient) {
      step.gradient_call.operation->gradient(step.gradient_call);
    }
  }
  for (Slot& slot : slots_) {
    Node& node = state.nodes[slot.id];
    if (slot.is_leaf) {
      node.has_gradient |= slot.first_accumulate != nullptr;
    } else if (slot.needs_gradient) {
      if (!node.gradient.shares_elements_with(slot.gradient)) {
        node.gradient = slot.gradient;
      }
      node.has_gradient = true;
    }
  }
}

}  // namespace lamarck
