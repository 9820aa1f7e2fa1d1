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

Var DynamicModule::rows_of(const Var& x) const {
  const Shape shape = x.shape();
  const auto width = static_cast<std::int64_t>(network_.input_width());
  const bool fits = shape.rank() >= 2 && shape[0] > 0 &&
                    shape.element_count() / shape[0] == width;
  if (!fits) {
    throw LogicError(Error(ErrorCode::InvalidArgument,
                           "DynamicModule '" + name_ + "' reads [batch, " +
                               std::to_string(width) + "], not " +
                               shape.to_string() + "."));
  }
  return shape.rank() == 2 ? x : x.flatten();
}

std::string DynamicModule::memories_of_call() const {
  ++calls_;
  if (calls_ == 1) return name_ + ".";
  return name_ + ".call_" + std::to_string(calls_) + ".";
}

Var DynamicModule::operator()(const Var& x) const {
  return add_network(network_, rows_of(x), {name_ + ".", memories_of_call()})
      .output;
}

Var DynamicModule::logits(const Var& x) const {
  return add_network(network_, rows_of(x), {name_ + ".", memories_of_call()})
      .logits;
}

Network DynamicModule::network() const {
  Network trained = network_;
  take_weights(graph_, trained, name_ + ".");
  trained.parameters().forget_gradients();
  return trained;
}

}  // namespace lamarck::evolution
