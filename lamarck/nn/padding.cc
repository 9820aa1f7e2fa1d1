#include "lamarck/nn/internal/padding.h"

#include <array>

#include "lamarck/graph/operation_table.h"

namespace lamarck::nn {

Var without_padding(const Var& x, const Var& kept) {
  const std::array inputs = {x, stack({&kept, 1}, 2)};
  return apply_operation(operation_named("masked"), inputs, {});
}

}  // namespace lamarck::nn
