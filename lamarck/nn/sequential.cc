#include "lamarck/nn/sequential.h"

namespace lamarck::nn {

Var Sequential::operator()(const Var& x) const {
  Var y = x;
  for (const Layer& layer : layers_) y = layer(y);
  return y;
}

std::vector<const Module*> Sequential::children() const {
  std::vector<const Module*> all;
  for (const Layer& layer : layers_) {
    // Plain functions have no parameters.
    if (layer.module() != nullptr) all.push_back(layer.module());
  }
  return all;
}

}  // namespace lamarck::nn
