#include "lamarck/nn/dropout_layer.h"

#include <bit>

#include "lamarck/base/hash.h"

namespace lamarck::nn {

Dropout::Dropout(const Graph& graph, float probability, const std::string& name)
    // The layer's name enters the seed, so that two layers of one graph drop
    // different elements.
    : probability_(probability),
      training_(graph.input_named(Tensor::scalar(1), name + ".training")),
      seed_(mix64(std::bit_cast<std::uint32_t>(graph.rand({}).item())) ^
            stable_hash(name)) {}

}  // namespace lamarck::nn
