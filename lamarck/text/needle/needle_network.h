// Needle's network: an encoder reads a request and the tools, and a decoder
// writes a call of a tool, token by token. Each layer is attention behind a
// learned gate; there are no feed-forward layers. Only runs the trained model.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/text/needle/onnx_weights.h"
#include "lamarck/text/packed_matrix.h"

namespace lamarck::text {

// Thread safety: all const members may be called from any thread.
class NeedleNetwork {
 public:
  // Fails if a weight is missing or has other sizes than its neighbors need.
  static Result<NeedleNetwork> make(const OnnxWeights& encoder,
                                    const OnnxWeights& decoder);

  std::size_t vocabulary() const { return vocabulary_; }
  std::size_t max_tokens() const { return max_tokens_; }  // Of each side.

  // What the decoder needs to know of a text that the encoder has read.
  struct Memory {
    std::vector<float> hidden;  // The encoder's output, [tokens, hidden].
    // Of each layer of the decoder, [tokens, keys then values].
    std::vector<std::vector<float>> keys_values;
  };
  // Fails if a token is not in the vocabulary or there are too many or none.
  Result<Memory> read(std::span<const std::int32_t> tokens,
                      const CancelToken& cancel) const;

  class Writer;

 private:
  // A linear map of the heads: queries, keys and values together, or some.
  struct Attention {
    std::vector<float> norm;  // Scales of the layer's input.
    PackedMatrix project;     // Of the layer's input.
    PackedMatrix remember;    // Of the encoder's output; only across.
    std::vector<float> query_norm;
    std::vector<float> key_norm;
    PackedMatrix output;
    float gate = 0;  // Factor of the result, 0 to 1.
  };
  class Loader;
  class Heads;

  NeedleNetwork() = default;

  void embed(std::int32_t token, float* to) const;
  void normalize(const float* x, const std::vector<float>& scales,
                 std::size_t rows, float* to) const;

  std::size_t hidden_ = 0;
  std::size_t head_size_ = 0;
  std::size_t heads_ = 0;      // Of queries.
  std::size_t key_heads_ = 0;  // Of keys and values; divides heads_.
  std::size_t vocabulary_ = 0;
  std::size_t max_tokens_ = 0;
  std::vector<float> embedding_;     // [vocabulary, hidden], scaled.
  std::vector<float> cosines_;       // [max_tokens, head_size / 2]
  std::vector<float> sines_;         // Likewise.
  std::vector<Attention> encoder_;   // Attention to itself.
  std::vector<Attention> decoder_;   // Attention to what was written before.
  std::vector<Attention> crossing_;  // Attention to the encoder, per layer.
  std::vector<float> encoder_norm_;
  std::vector<float> decoder_norm_;
  PackedMatrix output_;  // From hidden to vocabulary.
};

// Writes after one text. It keeps the keys and values of all tokens, so each
// further token costs the same. `network` and `memory` must outlive it.
class NeedleNetwork::Writer {
 public:
  Writer(const NeedleNetwork& network, const Memory& memory);

  // Appends a token; returns the scores of all tokens that can follow, which
  // stay valid until the next call. REQUIRES: size() < max_tokens() and the
  // token is in the vocabulary.
  std::span<const float> write(std::int32_t token);
  std::size_t size() const { return size_; }  // Tokens so far.
  // Forgets all tokens but the first `size`. REQUIRES: size <= size().
  void rewind(std::size_t size);

 private:
  const NeedleNetwork& network_;
  const Memory& memory_;
  std::size_t size_ = 0;
  std::vector<std::vector<float>> keys_values_;  // Of each layer.
  std::vector<float> x_, input_, projected_, heard_, output_, logits_;
};

}  // namespace lamarck::text
