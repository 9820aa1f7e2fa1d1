// A BERT encoder: turns the tokens of a text into one vector. Only runs a
// trained model; the graph and its gradients are not involved.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/tensor/safetensors.h"
#include "lamarck/text/packed_matrix.h"

namespace lamarck::text {

struct BertConfig {
  std::size_t hidden = 384;
  std::size_t heads = 12;
  std::size_t layers = 6;
  std::size_t intermediate = 1536;
  std::size_t max_tokens = 512;
  float norm_epsilon = 1e-12f;

  // Reads config.json. Fails for models that this encoder cannot run.
  static Result<BertConfig> parse(std::string_view json);
};

// Thread safety: all const members may be called from any thread.
class BertEncoder {
 public:
  // Fails if a tensor is missing or has another shape than the config says.
  static Result<BertEncoder> make(const BertConfig& config,
                                  const NamedTensors& tensors);

  const BertConfig& config() const { return config_; }

  // The mean of the last layer's outputs for each text, scaled to length 1.
  // Fails if a token is not in the vocabulary or a text is too long. REQUIRES:
  // no text is empty.
  Result<std::vector<std::vector<float>>> encode(
      std::span<const std::vector<std::int32_t>> texts) const;

 private:
  struct Norm {
    std::vector<float> scale;
    std::vector<float> shift;
  };
  struct Linear {
    PackedMatrix weights;
    std::vector<float> bias;
  };
  struct Layer {
    Linear query_key_value;
    Linear attention_output;
    Norm attention_norm;
    Linear intermediate;
    Linear output;
    Norm output_norm;
  };
  class Reader;
  class Pass;

  BertEncoder() = default;

  BertConfig config_;
  std::vector<float> words_;      // [vocabulary, hidden]
  std::vector<float> positions_;  // [max_tokens, hidden], with the type added.
  Norm embedding_norm_;
  std::vector<Layer> layers_;
};

}  // namespace lamarck::text
