// Whole sequences through a recurrent cell as one operation: the products of
// all steps with the input weight are one, and so are the gradients of the
// weights; only the hidden products go step by step.

#include <algorithm>

#include "lamarck/graph/internal/recurrent_sequence.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

constexpr RecurrentKind kRnn{.gates = 1, .biases = 1, .states = 1};
constexpr RecurrentKind kLstm{.gates = 4, .biases = 1, .states = 2};
constexpr RecurrentKind kGru{.gates = 3, .biases = 2, .states = 1};

RecurrentSequence sequence_of(std::span<const ConstView> inputs) {
  return RecurrentSequence(*inputs[0].shape, *inputs[2].shape);
}

// Gives out consecutive parts of saved or scratch memory.
template <class Float>
class Parts {
 public:
  explicit Parts(Float* start) : next_(start) {}
  Float* take(std::int64_t count) {
    next_ += count;
    return next_ - count;
  }

 private:
  Float* next_;
};

// The gates of input `name` in ONNX's order, side by side along `axis`.
std::string gates_onnx(const RecurrentKind& kind, const std::string& name,
                       std::int64_t hidden, int axis) {
  if (kind.gates == 1) return name;
  const std::vector<std::int64_t> order =
      kind.gates == 4 ? std::vector<std::int64_t>{0, 3, 1, 2}
                      : std::vector<std::int64_t>{1, 0, 2};
  std::string parts;
  for (const std::int64_t gate : order) {
    parts += "Slice(" + name + ", [" + std::to_string(gate * hidden) + "], [" +
             std::to_string((gate + 1) * hidden) + "], [" +
             std::to_string(axis) + "]), ";
  }
  return "Concat(" + parts + "; axis=" + std::to_string(axis) + ")";
}

// ONNX's RNN, LSTM or GRU. Of the cells it gives the last alone: the others
// are NaN. It cannot hold states by a mask.
template <const RecurrentKind& Kind>
std::string sequence_onnx(const NodeShapes& shapes, const Attributes&) {
  if (shapes.inputs.size() > Kind.input_count()) return "";
  const std::int64_t hidden = shapes.inputs[2][0];
  const auto letter = [](std::size_t input) {
    return std::string(1, static_cast<char>('a' + input));
  };
  const auto weight = [&](std::size_t input) {
    return "Unsqueeze(Transpose(" + gates_onnx(Kind, letter(input), hidden, 1) +
           "; perm=[1, 0]), [0])";
  };
  const std::string first = gates_onnx(Kind, "d", hidden, 0);
  const std::string second = Kind.biases == 2 ? gates_onnx(Kind, "e", hidden, 0)
                                              : "Mul(0, " + first + ")";
  const std::string size = "[" + std::to_string(hidden) + "]";
  const std::string batch = "Slice(Shape(a), [1], [2]), ";
  const auto state = [&](std::size_t at) {
    return "Unsqueeze(Expand(" + letter(3 + Kind.biases + at) + ", Concat(" +
           batch + size + "; axis=0)), [0])";
  };
  std::string inputs = "(a, " + weight(1) + ", " + weight(2) +
                       ", Unsqueeze(Concat(" + first + ", " + second +
                       "; axis=0), [0]), _, " + state(0);
  if (Kind.states == 2) inputs += ", " + state(1);
  inputs += "; hidden_size=" + std::to_string(hidden);
  if (Kind.gates == 3) inputs += ", linear_before_reset=1";
  inputs += ")";
  const std::string name = Kind.gates == 1   ? "RNN"
                           : Kind.gates == 4 ? "LSTM"
                                             : "GRU";
  std::string sequence = "Squeeze(" + name + inputs + ", [1])";
  if (Kind.states == 1) return sequence;
  const std::string before =
      "Expand(Div(0, 0), Concat(Sub(Slice(Shape(a), [0]"
      ", [1]), [1]), " +
      batch + size + "; axis=0))";
  return "Concat(" + sequence + ", Concat(" + before + ", LSTM@2" + inputs +
         "; axis=0); axis=2)";
}

// [steps, batch, hidden], once for each state.
template <const RecurrentKind& Kind>
Shape sequence_shape(const Operation& operation, std::span<const Shape> inputs,
                     const Attributes&) {
  require_sequence(Kind, operation.name, inputs);
  const auto states = static_cast<std::int64_t>(Kind.states);
  return inputs[0].with(2, states * inputs[2][0]);
}

// What a value saves: the states before the first and after each step, the
// activated gates, and what else the gradient needs of each step.
template <class Float>
struct Saved {
  Saved(const RecurrentSequence& s, const RecurrentKind& kind, Float* start) {
    Parts<Float> parts(start);
    h = parts.take((s.steps + 1) * s.state_size());
    if (kind.gates == 1) return;
    gates = parts.take(s.steps * s.sums_size());
    inner = parts.take(s.steps * s.state_size());
    if (kind.states == 2) c = parts.take((s.steps + 1) * s.state_size());
  }
  Float* h = nullptr;
  Float* gates = nullptr;  // Not of rnn, which has h.
  Float* inner = nullptr;  // tanh(c) of lstm, h_n of gru.
  Float* c = nullptr;      // Of lstm.
};

template <const RecurrentKind& Kind>
std::int64_t saved_size(std::span<const Shape> inputs, const Shape&,
                        const Attributes&) {
  const RecurrentSequence s(inputs[0], inputs[2]);
  const std::int64_t states = (s.steps + 1) * s.state_size();
  if (Kind.gates == 1) return states;
  return states * static_cast<std::int64_t>(Kind.states) +
         s.steps * (s.sums_size() + s.state_size());
}

// Of the gradient, which needs the most: that of the sums, once for each bias,
// that of the states, and the transposed weight.
template <const RecurrentKind& Kind>
std::int64_t scratch_size(std::span<const Shape> inputs, const Shape&,
                          const Attributes&) {
  const RecurrentSequence s(inputs[0], inputs[2]);
  return static_cast<std::int64_t>(Kind.biases) * s.steps * s.sums_size() +
         static_cast<std::int64_t>(Kind.states) * s.state_size() +
         s.hidden * s.columns;
}

void rnn_value(const ValueCall& call) {
  const RecurrentSequence s = sequence_of(call.inputs);
  const Saved saved(s, kRnn, call.saved);
  stretch_state(s, call.inputs[4], saved.h);
  multiply_inputs(s, call.inputs, call.scratch);
  for (std::int64_t t = 0; t < s.steps; ++t) {
    float* sums = call.scratch + t * s.sums_size();
    float* h = saved.h + t * s.state_size();
    multiply_hidden(s, h, call.inputs[2].data, sums, true);
    rnn_gates(s.step(call.inputs, kRnn, t), sums, call.inputs[3].data, h,
              h + s.state_size());
  }
  std::copy_n(saved.h + s.state_size(), s.steps * s.state_size(),
              call.output.data);
}

void rnn_gradient(const GradientCall& call) {
  const RecurrentSequence s = sequence_of(call.inputs);
  const Saved saved(s, kRnn, call.saved);
  Parts<float> scratch(call.scratch);
  float* d_sums = scratch.take(s.steps * s.sums_size());
  float* dh = scratch.take(s.state_size());
  float* transposed = scratch.take(s.hidden * s.columns);
  std::fill_n(dh, s.state_size(), 0.0f);
  transpose_hidden_weight(s, call.inputs[2].data, transposed);
  for (std::int64_t t = s.steps; t-- > 0;) {
    float* d_step = d_sums + t * s.sums_size();
    rnn_gates_back(s.step(call.inputs, kRnn, t),
                   saved.h + (t + 1) * s.state_size(),
                   call.output_gradient + t * s.state_size(), dh, d_step);
    give_to_hidden(s, d_step, transposed, dh);
  }
  give_to_inputs(s, call, d_sums);
  give_to_hidden_weight(s, call, saved.h, d_sums);
  give_to_state(s, call, 4, dh);
}

void lstm_value(const ValueCall& call) {
  const RecurrentSequence s = sequence_of(call.inputs);
  const Saved saved(s, kLstm, call.saved);
  stretch_state(s, call.inputs[4], saved.h);
  stretch_state(s, call.inputs[5], saved.c);
  multiply_inputs(s, call.inputs, saved.gates);
  for (std::int64_t t = 0; t < s.steps; ++t) {
    const std::int64_t at = t * s.state_size();
    float* sums = saved.gates + t * s.sums_size();
    multiply_hidden(s, saved.h + at, call.inputs[2].data, sums, true);
    lstm_gates(s.step(call.inputs, kLstm, t),
               {.sums = sums,
                .bias = call.inputs[3].data,
                .h_before = saved.h + at,
                .c_before = saved.c + at,
                .h = saved.h + at + s.state_size(),
                .c = saved.c + at + s.state_size(),
                .tanh_c = saved.inner + at,
                .output = call.output.data + 2 * at});
  }
}

void lstm_gradient(const GradientCall& call) {
  const RecurrentSequence s = sequence_of(call.inputs);
  const Saved saved(s, kLstm, call.saved);
  Parts<float> scratch(call.scratch);
  float* d_sums = scratch.take(s.steps * s.sums_size());
  float* dh = scratch.take(s.state_size());
  float* dc = scratch.take(s.state_size());
  float* transposed = scratch.take(s.hidden * s.columns);
  std::fill_n(dh, 2 * s.state_size(), 0.0f);  // And dc.
  transpose_hidden_weight(s, call.inputs[2].data, transposed);
  for (std::int64_t t = s.steps; t-- > 0;) {
    const std::int64_t at = t * s.state_size();
    float* d_step = d_sums + t * s.sums_size();
    lstm_gates_back(s.step(call.inputs, kLstm, t),
                    {.gates = saved.gates + t * s.sums_size(),
                     .tanh_c = saved.inner + at,
                     .c_before = saved.c + at,
                     .dy = call.output_gradient + 2 * at,
                     .dh = dh,
                     .dc = dc,
                     .d_sums = d_step});
    give_to_hidden(s, d_step, transposed, dh);
  }
  give_to_inputs(s, call, d_sums);
  give_to_hidden_weight(s, call, saved.h, d_sums);
  give_to_state(s, call, 4, dh);
  give_to_state(s, call, 5, dc);
}

void gru_value(const ValueCall& call) {
  const RecurrentSequence s = sequence_of(call.inputs);
  const Saved saved(s, kGru, call.saved);
  float* h_sums = call.scratch;
  stretch_state(s, call.inputs[5], saved.h);
  multiply_inputs(s, call.inputs, saved.gates);
  for (std::int64_t t = 0; t < s.steps; ++t) {
    const std::int64_t at = t * s.state_size();
    multiply_hidden(s, saved.h + at, call.inputs[2].data, h_sums, false);
    gru_gates(s.step(call.inputs, kGru, t),
              {.x_sums = saved.gates + t * s.sums_size(),
               .h_sums = h_sums,
               .x_bias = call.inputs[3].data,
               .h_bias = call.inputs[4].data,
               .h_before = saved.h + at,
               .h = saved.h + at + s.state_size(),
               .h_n = saved.inner + at});
  }
  std::copy_n(saved.h + s.state_size(), s.steps * s.state_size(),
              call.output.data);
}

void gru_gradient(const GradientCall& call) {
  const RecurrentSequence s = sequence_of(call.inputs);
  const Saved saved(s, kGru, call.saved);
  Parts<float> scratch(call.scratch);
  float* d_x_sums = scratch.take(s.steps * s.sums_size());
  float* d_h_sums = scratch.take(s.steps * s.sums_size());
  float* dh = scratch.take(s.state_size());
  float* transposed = scratch.take(s.hidden * s.columns);
  std::fill_n(dh, s.state_size(), 0.0f);
  transpose_hidden_weight(s, call.inputs[2].data, transposed);
  for (std::int64_t t = s.steps; t-- > 0;) {
    const std::int64_t at = t * s.state_size();
    float* d_step = d_h_sums + t * s.sums_size();
    gru_gates_back(s.step(call.inputs, kGru, t),
                   {.gates = saved.gates + t * s.sums_size(),
                    .h_n = saved.inner + at,
                    .h_before = saved.h + at,
                    .dy = call.output_gradient + at,
                    .dh = dh,
                    .d_x_sums = d_x_sums + t * s.sums_size(),
                    .d_h_sums = d_step});
    give_to_hidden(s, d_step, transposed, dh);
  }
  give_to_inputs(s, call, d_x_sums);
  give_to_bias(s, call, 4, d_h_sums);
  give_to_hidden_weight(s, call, saved.h, d_h_sums);
  give_to_state(s, call, 5, dh);
}

// [steps, ...] to [...]: the last one, also when later runs have more steps.
Shape last_shape(const Operation& operation, std::span<const Shape> inputs,
                 const Attributes&) {
  if (inputs[0].rank() == 0 || inputs[0][0] == 0) {
    throw_invalid_shape(operation.name, inputs[0],
                        "its first axis has at least one entry");
  }
  return inputs[0].without(0);
}

void last_value(const ValueCall& call) {
  const std::int64_t count = call.output.shape->element_count();
  const std::int64_t all = call.inputs[0].shape->element_count();
  std::copy_n(call.inputs[0].data + all - count, count, call.output.data);
}

void last_gradient(const GradientCall& call) {
  const std::int64_t count = call.output.shape->element_count();
  const std::int64_t all = call.inputs[0].shape->element_count();
  float* dx = call.input_gradients[0];
  if (!call.accumulate[0]) std::fill_n(dx, all, 0.0f);
  add_to(call.output_gradient, dx + all - count,
         static_cast<std::size_t>(count));
}

template <const RecurrentKind& Kind>
Operation sequence_operation(std::string_view name, std::string_view what,
                             void (*value)(const ValueCall&),
                             void (*gradient)(const GradientCall&)) {
  Operation made{.name = name,
                 .what = what,
                 .least_inputs = Kind.input_count(),
                 .most_inputs = Kind.input_count() + 1,
                 .shape = sequence_shape<Kind>,
                 .value = value,
                 .gradient = gradient,
                 .saved_size = saved_size<Kind>,
                 .scratch_size = scratch_size<Kind>,
                 .gradient_reads_output = false,
                 .differentiable_inputs = Kind.input_count(),
                 .write_onnx = sequence_onnx<Kind>};
  // A stretched state; then a state for each row, and a mask.
  for (const std::int64_t rows : {1, 3}) {
    OperationSample sample;
    sample.shapes = {{4, 3, 2}, {2, 5 * Kind.gates}, {5, 5 * Kind.gates}};
    for (std::size_t i = 0; i < Kind.biases; ++i) {
      sample.shapes.push_back({5 * Kind.gates});
    }
    for (std::size_t i = 0; i < Kind.states; ++i) {
      sample.shapes.push_back({rows, 5});
    }
    if (rows == 3) sample.shapes.push_back({4, 3});
    made.samples.push_back(sample);
  }
  return made;
}

}  // namespace

std::vector<Operation> recurrent_operations() {
  return {sequence_operation<kRnn>("rnn", "tanh units over a whole sequence",
                                   rnn_value, rnn_gradient),
          sequence_operation<kLstm>(
              "lstm", "long short-term memory over a whole sequence",
              lstm_value, lstm_gradient),
          sequence_operation<kGru>(
              "gru", "gated recurrent units over a whole sequence", gru_value,
              gru_gradient),
          {.name = "last",
           .what = "the last entry of the first axis",
           .shape = last_shape,
           .value = last_value,
           .gradient = last_gradient,
           .gradient_reads_inputs = false,
           .gradient_reads_output = false,
           .onnx = "Squeeze(Gather(a, [-1]; axis=0), [0])",
           .samples = {{{{3, 2, 2}}, {}}, {{{1}}, {}}}}};
}

}  // namespace lamarck
