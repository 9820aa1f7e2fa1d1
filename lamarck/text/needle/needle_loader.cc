#include "lamarck/text/needle/needle_loader.h"

#include <cmath>
#include <utility>

#include "lamarck/base/macros.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kMaxLayers = 64;

Error misfit(std::string_view what) {
  return Error(ErrorCode::DataDamaged, "The weights are not those of Needle: " +
                                           std::string(what) + ".");
}

std::int64_t as_size(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

}  // namespace

Result<NeedleNetwork> NeedleNetwork::make(const OnnxWeights& encoder,
                                          const OnnxWeights& decoder) {
  return Loader(encoder, decoder).load();
}

Result<void> NeedleNetwork::Loader::load_sizes() {
  ASSIGN_OR_RETURN(OnnxTensor words,
                   encoder_.tensor("embedding.weight", {-1, -1}));
  network_.vocabulary_ = static_cast<std::size_t>(words.sizes[0]);
  network_.hidden_ = static_cast<std::size_t>(words.sizes[1]);
  ASSIGN_OR_RETURN(OnnxTensor cosines,
                   encoder_.tensor("encoder.rope_cos", {-1, -1}));
  ASSIGN_OR_RETURN(OnnxTensor sines,
                   encoder_.tensor("encoder.rope_sin", cosines.sizes));
  network_.max_tokens_ = static_cast<std::size_t>(cosines.sizes[0]);
  network_.head_size_ = 2 * static_cast<std::size_t>(cosines.sizes[1]);
  if (network_.vocabulary_ == 0 || network_.hidden_ == 0 ||
      network_.max_tokens_ == 0 || network_.head_size_ == 0 ||
      network_.hidden_ % network_.head_size_ != 0) {
    return misfit("the sizes of a head and of the embedding do not agree");
  }
  network_.heads_ = network_.hidden_ / network_.head_size_;
  network_.cosines_ = std::move(cosines.values);
  network_.sines_ = std::move(sines.values);
  // The exporter rounded the square root of `hidden` to a 16-bit float, which
  // has 11 significant bits.
  int exponent = 0;
  const double root = std::sqrt(static_cast<double>(network_.hidden_));
  const double part = std::frexp(root, &exponent);
  const double rounded =
      std::ldexp(std::nearbyint(std::ldexp(part, 11)), exponent - 11);
  network_.embedding_ = std::move(words.values);
  for (float& value : network_.embedding_) {
    value *= static_cast<float>(rounded);
  }
  return {};
}

Result<std::vector<float>> NeedleNetwork::Loader::load_norm(
    const OnnxWeights& file, const std::string& name, std::size_t size) const {
  ASSIGN_OR_RETURN(OnnxTensor tensor,
                   file.tensor_for(name + "/Mul_output_0", {as_size(size)}));
  return std::move(tensor.values);
}

Result<PackedMatrix> NeedleNetwork::Loader::load_matrix(
    const OnnxWeights& file, const std::vector<std::string>& nodes) const {
  const std::size_t inputs = network_.hidden_;
  std::vector<float> rows;  // ONNX has [inputs, outputs].
  for (const std::string& node : nodes) {
    ASSIGN_OR_RETURN(const OnnxTensor tensor,
                     file.tensor_for(node, {as_size(inputs), -1}));
    const auto outputs = static_cast<std::size_t>(tensor.sizes[1]);
    for (std::size_t output = 0; output < outputs; ++output) {
      for (std::size_t input = 0; input < inputs; ++input) {
        rows.push_back(tensor.values[input * outputs + output]);
      }
    }
  }
  return PackedMatrix(rows.data(), rows.size() / inputs, inputs);
}

Result<NeedleNetwork::Attention> NeedleNetwork::Loader::load_attention(
    const OnnxWeights& file, const std::string& layer, const std::string& norm,
    const std::string& part, bool is_crossing) {
  const std::string base = "/" + layer + "/" + part;
  const auto node = [&](const char* name) {
    return base + "/" + name + "/MatMul_output_0";
  };
  std::string gate = layer;
  for (char& c : gate) {
    if (c == '/') c = '.';
  }
  gate += layer.starts_with("encoder") ? ".attn_gate" : "." + part + "_gate";
  Attention attention;
  ASSIGN_OR_RETURN(attention.norm,
                   load_norm(file, "/" + layer + "/" + norm, network_.hidden_));
  const std::vector<std::string> memory = {node("k_proj"), node("v_proj")};
  if (is_crossing) {
    ASSIGN_OR_RETURN(attention.project, load_matrix(file, {node("q_proj")}));
    ASSIGN_OR_RETURN(attention.remember, load_matrix(file, memory));
  } else {
    ASSIGN_OR_RETURN(attention.project,
                     load_matrix(file, {node("q_proj"), memory[0], memory[1]}));
  }
  ASSIGN_OR_RETURN(attention.query_norm,
                   load_norm(file, base + "/q_norm", network_.head_size_));
  ASSIGN_OR_RETURN(attention.key_norm,
                   load_norm(file, base + "/k_norm", network_.head_size_));
  ASSIGN_OR_RETURN(attention.output, load_matrix(file, {node("out_proj")}));
  ASSIGN_OR_RETURN(const OnnxTensor opening, file.tensor(gate, {1}));
  attention.gate = 1 / (1 + std::exp(-opening.values[0]));

  const std::size_t both = is_crossing
                               ? attention.remember.outputs()
                               : attention.project.outputs() - network_.hidden_;
  const std::size_t step = 2 * network_.head_size_;
  if (network_.key_heads_ == 0 && both % step == 0) {
    network_.key_heads_ = both / step;
  }
  const bool fits =
      network_.key_heads_ > 0 && network_.heads_ % network_.key_heads_ == 0 &&
      both == step * network_.key_heads_ &&
      attention.output.outputs() == network_.hidden_ &&
      (!is_crossing || attention.project.outputs() == network_.hidden_);
  if (!fits) return misfit("the heads of " + base + " do not fit");
  return attention;
}

Result<NeedleNetwork> NeedleNetwork::Loader::load() {
  RETURN_IF_ERROR(load_sizes());
  const auto has_layer = [](const OnnxWeights& file, const std::string& layer) {
    return file.has_node("/" + layer + "/self_attn/q_proj/MatMul_output_0");
  };
  for (std::size_t i = 0; i < kMaxLayers; ++i) {
    const std::string layer = "encoder/layers." + std::to_string(i);
    if (!has_layer(encoder_, layer)) break;
    ASSIGN_OR_RETURN(Attention self, load_attention(encoder_, layer, "norm1",
                                                    "self_attn", false));
    network_.encoder_.push_back(std::move(self));
  }
  for (std::size_t i = 0; i < kMaxLayers; ++i) {
    const std::string layer = "decoder/layers." + std::to_string(i);
    if (!has_layer(decoder_, layer)) break;
    ASSIGN_OR_RETURN(Attention self, load_attention(decoder_, layer, "norm1",
                                                    "self_attn", false));
    ASSIGN_OR_RETURN(Attention cross, load_attention(decoder_, layer, "norm2",
                                                     "cross_attn", true));
    network_.decoder_.push_back(std::move(self));
    network_.crossing_.push_back(std::move(cross));
  }
  if (network_.encoder_.empty() || network_.decoder_.empty()) {
    return misfit("there are no layers");
  }
  ASSIGN_OR_RETURN(
      network_.encoder_norm_,
      load_norm(encoder_, "/encoder/final_norm", network_.hidden_));
  ASSIGN_OR_RETURN(
      network_.decoder_norm_,
      load_norm(decoder_, "/decoder/final_norm", network_.hidden_));
  ASSIGN_OR_RETURN(network_.output_, load_matrix(decoder_, {"logits"}));
  if (network_.output_.outputs() != network_.vocabulary_) {
    return misfit("the output does not fit the vocabulary");
  }
  return std::move(network_);
}

}  // namespace lamarck::text
