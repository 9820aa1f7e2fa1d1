#include "lamarck/nn/internal/padding.h"

#include <array>

#include "lamarck/graph/operation_table.h"

namespace lamarck::nn {

namespace {

Var masked(const Var& x, const Var& mask) {
  const std::array inputs = {x, mask};
  return apply_operation(operation_named("masked"), inputs, {});
}

}  // namespace

Var without_padding(const Var& x, const Var& kept) {
  return masked(x, stack({&kept, 1}, 2));
}

Var with_finite_padding(const Var& x, const Var& kept) {
  // 0 times NaN or infinity is NaN, which is not at least 0.
  const Var is_finite = x * 0.0f >= 0.0f;
  return masked(x, is_finite + stack({&kept, 1}, 2));
}

}  // namespace lamarck::nn
