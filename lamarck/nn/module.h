// What layers have in common: parameters.

#pragma once

#include <cstdint>
#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck::nn {

// Building a layer makes its parameters; calling it adds its operations. How it
// is called is its own affair, because signatures differ.
class Module {
 public:
  virtual ~Module() = default;

  // Their names are "<layer>.weight" and so on.
  virtual std::vector<Var> parameters() const = 0;
  std::int64_t parameter_count() const;  // In elements.
};

// Of several modules, in order.
template <class... Modules>
std::vector<Var> parameters(const Modules&... modules) {
  std::vector<Var> all;
  const auto append = [&](const Module& module) {
    for (const Var& parameter : module.parameters()) all.push_back(parameter);
  };
  (append(modules), ...);
  return all;
}

}  // namespace lamarck::nn
