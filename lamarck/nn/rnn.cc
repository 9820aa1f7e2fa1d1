#include "lamarck/nn/rnn.h"

#include "lamarck/base/ensure.h"
#include "lamarck/nn/internal/recurrent_layer.h"

namespace lamarck::nn {

RnnCell::RnnCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
                 const std::string& name)
    : input_weight_(graph.parameter({inputs, hidden}, recurrent_init(hidden),
                                    name + ".input_weight")),
      hidden_weight_(graph.parameter({hidden, hidden}, recurrent_init(hidden),
                                     name + ".hidden_weight")),
      bias_(graph.parameter({hidden}, Init::zeros(), name + ".bias")) {}

Var RnnCell::operator()(const Var& x, const Var& h) const {
  return (x.matmul(input_weight_) + h.matmul(hidden_weight_) + bias_).tanh();
}

std::vector<Var> RnnCell::own_parameters() const {
  return {input_weight_, hidden_weight_, bias_};
}

std::int64_t RnnCell::hidden_size() const { return hidden_weight_.shape()[0]; }

Var RnnCell::zero_state() const {
  return nn::zero_state(bias_.graph(), hidden_size());
}

Rnn::Rnn(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
         const std::string& name, const RnnOptions& options) {
  REQUIRE(options.layers >= 1, "Rnn: layers must be at least 1, got {}.",
          options.layers);
  for (std::int64_t i = 0; i < options.layers; ++i) {
    cells_.emplace_back(graph, i == 0 ? inputs : hidden, hidden,
                        name + "." + std::to_string(i));
  }
}

RnnOutput Rnn::operator()(const Var& x, const RnnCall& call) const {
  require_states(call.initial.size(), cells_.size(), "Rnn");
  RnnOutput output{x, {}};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const RnnCell& cell = cells_[i];
    const Var h = call.initial.empty() ? cell.zero_state() : call.initial[i];
    // The fused operation takes its inputs in this order.
    output.hidden = run_sequence(
        "rnn",
        {output.hidden, cell.input_weight_, cell.hidden_weight_, cell.bias_, h},
        call.mask);
    output.last.push_back(last_step(output.hidden));
  }
  return output;
}

std::vector<Var> Rnn::own_parameters() const {
  std::vector<Var> all;
  for (const RnnCell& cell : cells_) {
    for (const Var& parameter : cell.parameters()) all.push_back(parameter);
  }
  return all;
}

}  // namespace lamarck::nn
