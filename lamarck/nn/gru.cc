#include "lamarck/nn/gru.h"

#include "lamarck/base/ensure.h"
#include "lamarck/nn/internal/recurrent_layer.h"

namespace lamarck::nn {

GruCell::GruCell(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
                 const std::string& name)
    : input_weight_(graph.parameter({inputs, 3 * hidden},
                                    recurrent_init(hidden),
                                    name + ".input_weight")),
      hidden_weight_(graph.parameter({hidden, 3 * hidden},
                                     recurrent_init(hidden),
                                     name + ".hidden_weight")),
      input_bias_(
          graph.parameter({3 * hidden}, Init::zeros(), name + ".input_bias")),
      hidden_bias_(graph.parameter({3 * hidden}, Init::zeros(),
                                   name + ".hidden_bias")) {}

Var GruCell::operator()(const Var& x, const Var& h) const {
  const std::int64_t sizes[] = {hidden_size(), hidden_size(), hidden_size()};
  // Both products are split into the columns of the gates r, z and n.
  const auto from_x = (x.matmul(input_weight_) + input_bias_).split(1, sizes);
  const auto from_h = (h.matmul(hidden_weight_) + hidden_bias_).split(1, sizes);
  const Var r = (from_x[0] + from_h[0]).sigmoid();
  const Var z = (from_x[1] + from_h[1]).sigmoid();
  const Var n = (from_x[2] + r * from_h[2]).tanh();
  return (1 - z) * n + z * h;
}

std::vector<Var> GruCell::own_parameters() const {
  return {input_weight_, hidden_weight_, input_bias_, hidden_bias_};
}

std::int64_t GruCell::hidden_size() const { return hidden_weight_.shape()[0]; }

Var GruCell::zero_state() const {
  return nn::zero_state(input_bias_.graph(), hidden_size());
}

Gru::Gru(const Graph& graph, std::int64_t inputs, std::int64_t hidden,
         const std::string& name, const GruOptions& options) {
  REQUIRE(options.layers >= 1, "Gru: layers must be at least 1, got {}.",
          options.layers);
  for (std::int64_t i = 0; i < options.layers; ++i) {
    cells_.emplace_back(graph, i == 0 ? inputs : hidden, hidden,
                        name + "." + std::to_string(i));
  }
}

GruOutput Gru::operator()(const Var& x, const GruCall& call) const {
  require_states(call.initial.size(), cells_.size(), "Gru");
  GruOutput output{x, {}};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const GruCell& cell = cells_[i];
    const Var h = call.initial.empty() ? cell.zero_state() : call.initial[i];
    // The fused operation takes its inputs in this order.
    output.hidden =
        run_sequence("gru",
                     {output.hidden, cell.input_weight_, cell.hidden_weight_,
                      cell.input_bias_, cell.hidden_bias_, h},
                     call.mask);
    output.last.push_back(last_step(output.hidden));
  }
  return output;
}

std::vector<Var> Gru::own_parameters() const {
  std::vector<Var> all;
  for (const GruCell& cell : cells_) {
    for (const Var& parameter : cell.parameters()) all.push_back(parameter);
  }
  return all;
}

}  // namespace lamarck::nn
