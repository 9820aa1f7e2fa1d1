#include "lamarck/nn/module.h"

namespace lamarck::nn {

std::int64_t Module::parameter_count() const {
  std::int64_t count = 0;
  for (const Var& parameter : parameters()) {
    count += parameter.shape().element_count();
  }
  return count;
}

}  // namespace lamarck::nn
