#include "lamarck/evolution/dynamic_module.h"

#include <utility>

#include "lamarck/base/error.h"
#include "lamarck/evolution/network_graph.h"

namespace lamarck::evolution {

DynamicModule::DynamicModule(const Graph& graph, const Network& network,
                             std::string name)
    : graph_(graph),
      network_(network),
      name_(std::move(name)),
      parameters_(add_parameters(graph, network, name_ + ".")) {}

Var DynamicModule::as_rows(const Var& x) const {
  const Shape shape = x.shape();
  const auto width = static_cast<std::int64_t>(network_.input_width());
  const bool fits = shape.rank() >= 2 && shape[0] > 0 &&
                    shape.element_count() / shape[0] == width;
  if (!fits) {
    throw LogicError(
        Error(ErrorCode::InvalidArgument,
              "DynamicModule '" + name_ + "': the input must be [batch, " +
                  std::to_string(width) + "], got " + shape.to_string() + "."));
  }
  return shape.rank() == 2 ? x : x.flatten();
}

// Names of state are unique in a graph, so each call after the first gets a
// number. The first keeps the plain name.
std::string DynamicModule::next_state_prefix() const {
  ++calls_;
  if (calls_ == 1) return name_ + ".";
  return name_ + ".call_" + std::to_string(calls_) + ".";
}

Var DynamicModule::operator()(const Var& x) const {
  return add_network(network_, as_rows(x), {name_ + ".", next_state_prefix()})
      .output;
}

Var DynamicModule::logits(const Var& x) const {
  return add_network(network_, as_rows(x), {name_ + ".", next_state_prefix()})
      .logits;
}

Network DynamicModule::network() const {
  Network trained = network_;
  take_weights(graph_, trained, name_ + ".");
  trained.parameters().forget_gradients();
  return trained;
}

}  // namespace lamarck::evolution
