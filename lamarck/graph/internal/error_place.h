// Adds to an error where in the graph it happened.

#pragma once

#include <optional>

#include "lamarck/base/error.h"
#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

// The same error with the fields
//   node:  the name or the id of the node that failed or, while it is being
//          built, of the node that it was applied to;
//   layer: "hidden" if the node reads the parameter "hidden.weight". The
//          message names the layer too.
// Fields that the error has already are kept. `id` is empty while the node is
// being built.
Error locate_error(const GraphState& state, const Error& error,
                   const Node& node, std::optional<NodeId> id);

// Returns work(). If it throws a LogicError, throws the located one instead.
template <class Work>
auto with_error_place(const GraphState& state, const Node& node,
                      std::optional<NodeId> id, Work&& work) {
  try {
    return work();
  } catch (const InvariantError&) {
    throw;
  } catch (const LogicError& failure) {
    throw LogicError(locate_error(state, failure.error(), node, id));
  }
}

}  // namespace lamarck
