// A node of a graph as a sum of matrix products and a bias.

#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lamarck/evolution/network.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

// The weights of one edge: [from.width, columns].
using EdgeWeights = std::map<UnitId, Tensor>;

// sum over edges (value of the unit x weights) + bias.
struct LinearForm {
  EdgeWeights edges;
  Tensor bias;  // [columns]

  std::int64_t columns() const { return bias.size(0); }
  void add_edge(UnitId from, const Tensor& weights);
  void add(const LinearForm& other);
  // Multiplies each column by its factor, and then adds to the bias.
  void scale(const Tensor& factors, const Tensor& shift);
};

}  // namespace lamarck::evolution
