#include "lamarck/nn/multi_head_attention.h"

#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/nn/internal/padding.h"

namespace lamarck::nn {
namespace {

// Added to the scores of masked positions, so that their softmax underflows to
// 0. It is finite, because a mask of 0 times infinity would be NaN.
constexpr float kMaskedScore = -1e9f;

// Masks every key that comes after the query's own position.
Tensor causal_mask(std::int64_t queries, std::int64_t keys) {
  Tensor mask = Tensor::zeros({queries, keys});
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = i + 1; j < keys; ++j) mask.at({i, j}) = kMaskedScore;
  }
  return mask;
}

// Xavier suits a projection that is not followed by a relu.
Linear projection(const Graph& graph, std::int64_t width,
                  const std::string& name) {
  return {graph, width, width, name, {.init = Init::xavier()}};
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const Graph& graph, std::int64_t width,
                                       std::int64_t heads,
                                       const std::string& name)
    : width_(width),
      heads_(heads),
      query_(projection(graph, width, name + ".query")),
      key_(projection(graph, width, name + ".key")),
      value_(projection(graph, width, name + ".value")),
      out_(projection(graph, width, name + ".out")) {
  REQUIRE(heads > 0 && width % heads == 0,
          "MultiHeadAttention: heads ({}) must be at least 1 and divide width "
          "({}).",
          heads, width);
}

// Reshapes [batch, positions, width] to [batch, heads, positions, width per
// head].
Var MultiHeadAttention::split(const Var& x) const {
  return x.reshape({-1, x.shape()[1], heads_, width_ / heads_})
      .permute({0, 2, 1, 3});
}

Var MultiHeadAttention::attend(const Var& given, const Var& given_memory,
                               const AttentionMask& mask) const {
  for (const Var& each : {given, given_memory}) {
    if (each.shape().rank() != 3 || each.shape()[2] != width_) {
      throw_invalid_shape("MultiHeadAttention", each.shape(),
                          "sequences must have the shape [batch, positions, "
                          "width] with a width of " +
                              std::to_string(width_));
    }
  }
  Var x = given;
  Var memory = given_memory;
  if (mask.padding) {
    const Var kept = 1 - *mask.padding;
    memory = without_padding(given_memory, kept);
    // Padding also asks, in self-attention. Its answers are computed, as in
    // PyTorch, unless they would be NaN.
    if (given.node_id() == given_memory.node_id()) {
      x = with_finite_padding(given, kept);
    }
  }
  const std::int64_t queries = x.shape()[1];
  const std::int64_t keys = memory.shape()[1];
  const float factor =
      1 / std::sqrt(static_cast<float>(width_) / static_cast<float>(heads_));
  // Scaling the queries is cheaper than scaling the larger score matrix.
  Var scores = split(query_(x) * factor)
                   .matmul(split(key_(memory)).permute({0, 1, 3, 2}));
  if (mask.causal) {
    scores = scores + x.graph().constant(causal_mask(queries, keys));
  }
  if (mask.padding) {
    scores = scores + mask.padding->reshape({-1, 1, 1, keys}) * kMaskedScore;
  }
  const Var attended = scores.softmax().matmul(split(value_(memory)));
  return out_(attended.permute({0, 2, 1, 3}).reshape({-1, queries, width_}));
}

}  // namespace lamarck::nn
