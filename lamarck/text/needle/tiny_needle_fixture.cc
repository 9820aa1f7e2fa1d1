#include "lamarck/text/needle/tiny_needle_fixture.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "lamarck/base/rng.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kHidden = 8;
constexpr std::size_t kHead = 4;
constexpr std::size_t kKeys = 4;
constexpr std::size_t kPositions = 6;
constexpr std::size_t kLayers = 2;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) {
    bytes += static_cast<char>((value & 127) | 128);
  }
  return bytes + static_cast<char>(value);
}

// Builds the graph of one file.
class TinyGraph {
 public:
  explicit TinyGraph(std::uint64_t seed) : rng_(seed) {}

  void tensor(const std::string& name, const std::vector<std::size_t>& sizes) {
    std::size_t count = 1;
    std::string message;
    for (const std::size_t size : sizes) {
      count *= size;
      message += protobuf_number(1, size);
    }
    std::string raw(4 * count, '\0');
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(rng_.uniform() - 0.5);
      std::memcpy(raw.data() + 4 * i, &value, 4);
    }
    message += protobuf_number(2, 1) + protobuf_bytes(8, name) +
               protobuf_bytes(9, raw);
    graph_ += protobuf_bytes(5, message);
  }

  // A node that yields `output` from a tensor of its own.
  void weight(const std::string& output,
              const std::vector<std::size_t>& sizes) {
    tensor(output + ".weight", sizes);
    graph_ += protobuf_bytes(1, protobuf_bytes(1, "x") +
                                    protobuf_bytes(1, output + ".weight") +
                                    protobuf_bytes(2, output));
  }

  void attention(const std::string& base, const std::string& norm,
                 const std::string& gate) {
    weight(norm + "/Mul_output_0", {kHidden});
    weight(base + "/q_proj/MatMul_output_0", {kHidden, kHidden});
    weight(base + "/k_proj/MatMul_output_0", {kHidden, kKeys});
    weight(base + "/v_proj/MatMul_output_0", {kHidden, kKeys});
    weight(base + "/q_norm/Mul_output_0", {kHead});
    weight(base + "/k_norm/Mul_output_0", {kHead});
    weight(base + "/out_proj/MatMul_output_0", {kHidden, kHidden});
    tensor(gate, {1});
  }

  std::string file() const {
    return protobuf_number(1, 8) + protobuf_bytes(7, graph_);
  }

 private:
  Rng rng_;
  std::string graph_;
};

std::string piece_message(std::string_view text, float score,
                          std::uint64_t kind) {
  const auto bits = std::bit_cast<std::uint32_t>(score);
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &bits, 4);
  return protobuf_bytes(1, protobuf_bytes(1, text) + varint((2 << 3) | 5) +
                               bytes + protobuf_number(3, kind));
}

}  // namespace

std::string protobuf_number(std::uint32_t field, std::uint64_t value) {
  return varint(std::uint64_t{field} << 3) + varint(value);
}

std::string protobuf_bytes(std::uint32_t field, std::string_view bytes) {
  return varint((std::uint64_t{field} << 3) | 2) + varint(bytes.size()) +
         std::string(bytes);
}

TinyNeedleFiles make_tiny_needle(std::size_t vocabulary) {
  TinyGraph encoder(1);
  encoder.tensor("embedding.weight", {vocabulary, kHidden});
  encoder.tensor("encoder.rope_cos", {kPositions, kHead / 2});
  encoder.tensor("encoder.rope_sin", {kPositions, kHead / 2});
  TinyGraph decoder(2);
  for (std::size_t i = 0; i < kLayers; ++i) {
    const std::string layer = fmt::format("/encoder/layers.{}", i);
    encoder.attention(layer + "/self_attn", layer + "/norm1",
                      fmt::format("encoder.layers.{}.attn_gate", i));
    const std::string after = fmt::format("/decoder/layers.{}", i);
    decoder.attention(after + "/self_attn", after + "/norm1",
                      fmt::format("decoder.layers.{}.self_attn_gate", i));
    decoder.attention(after + "/cross_attn", after + "/norm2",
                      fmt::format("decoder.layers.{}.cross_attn_gate", i));
  }
  encoder.weight("/encoder/final_norm/Mul_output_0", {kHidden});
  decoder.weight("/decoder/final_norm/Mul_output_0", {kHidden});
  decoder.weight("logits", {kHidden, vocabulary});
  return {.encoder = encoder.file(), .decoder = decoder.file()};
}

std::string make_tiny_pieces(const std::vector<std::string>& pieces) {
  std::string file;
  for (const char* control : {"<pad>", "</s>", "<s>"}) {
    file += piece_message(control, 0, 3);
  }
  file += piece_message("<unk>", 0, 2);
  file += piece_message("<tool_call>", 0, 4);
  file += piece_message("<tools>", 0, 4);
  for (int byte = 0; byte < 256; ++byte) {
    file += piece_message(fmt::format("<0x{:02X}>", byte), 0, 6);
  }
  float score = 0;
  for (const std::string& piece : pieces)
    file += piece_message(piece, score--, 1);
  file += protobuf_bytes(2, protobuf_number(3, 2) + protobuf_number(35, 1));
  return file + protobuf_bytes(3, protobuf_bytes(1, "identity"));
}

}  // namespace lamarck::text
