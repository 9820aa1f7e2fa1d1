#include "lamarck/nn/lstm.h"

#include "lamarck/base/ensure.h"
#include "lamarck/nn/internal/recurrent_layer.h"

namespace lamarck::nn {

LstmCell::LstmCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
                   const std::string& name, float forget_bias)
    : input_weight_(graph.parameter({inputs, 4 * hidden},
                                    recurrent_init(hidden),
                                    name + ".input_weight")),
      hidden_weight_(graph.parameter({hidden, 4 * hidden},
                                     recurrent_init(hidden),
                                     name + ".hidden_weight")),
      bias_(graph.parameter({4 * hidden}, Init::zeros(), name + ".bias")) {
  // The gates are stored in the order i, f, g, o; the second quarter is f.
  Tensor bias = Tensor::zeros({4 * hidden});
  bias.slice(0, hidden, 2 * hidden).fill(forget_bias);
  bias_.set_value(bias);
}

LstmState LstmCell::operator()(const Var& x, const LstmState& previous) const {
  const std::int64_t size = hidden_size();
  const std::int64_t sizes[] = {size, size, size, size};
  const auto gates =
      (x.matmul(input_weight_) + previous.hidden.matmul(hidden_weight_) + bias_)
          .split(1, sizes);
  // gates: input, forget, candidate, output.
  const Var cell =
      gates[1].sigmoid() * previous.cell + gates[0].sigmoid() * gates[2].tanh();
  return {gates[3].sigmoid() * cell.tanh(), cell};
}

std::vector<Var> LstmCell::own_parameters() const {
  return {input_weight_, hidden_weight_, bias_};
}

std::int64_t LstmCell::hidden_size() const { return hidden_weight_.shape()[0]; }

LstmState LstmCell::zero_state() const {
  const Var zeros = nn::zero_state(bias_.graph(), hidden_size());
  return {zeros, zeros};
}

Lstm::Lstm(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
           const std::string& name, const LstmOptions& options) {
  REQUIRE(options.layers >= 1, "Lstm: layers must be at least 1, got {}.",
          options.layers);
  for (std::int64_t i = 0; i < options.layers; ++i) {
    cells_.emplace_back(graph, i == 0 ? inputs : hidden, hidden,
                        name + "." + std::to_string(i), options.forget_bias);
  }
}

LstmOutput Lstm::operator()(const Var& x, const LstmCall& call) const {
  require_states(call.initial.size(), cells_.size(), "Lstm");
  LstmOutput output{x, {}};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const LstmCell& cell = cells_[i];
    const std::int64_t size = cell.hidden_size();
    const LstmState start =
        call.initial.empty() ? cell.zero_state() : call.initial[i];
    const Var states =
        run_sequence("lstm",
                     {output.hidden, cell.input_weight_, cell.hidden_weight_,
                      cell.bias_, start.hidden, start.cell},
                     call.mask);
    const Var last = last_step(states);
    // The fused operation returns the hidden state and the cell side by side.
    output.hidden = states.slice(2, 0, size);
    output.last.push_back(
        {last.slice(1, 0, size), last.slice(1, size, 2 * size)});
  }
  return output;
}

std::vector<Var> Lstm::own_parameters() const {
  std::vector<Var> all;
  for (const LstmCell& cell : cells_) {
    for (const Var& parameter : cell.parameters()) all.push_back(parameter);
  }
  return all;
}

}  // namespace lamarck::nn
