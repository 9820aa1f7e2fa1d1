// Small ONNX and SentencePiece files in Needle's form, for tests.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lamarck::text {

// Fields of a protobuf message.
std::string protobuf_number(std::uint32_t field, std::uint64_t value);
std::string protobuf_bytes(std::uint32_t field, std::string_view bytes);

struct TinyNeedleFiles {
  std::string encoder;
  std::string decoder;
};
// Two layers each, 8 hidden units, 2 heads of 4, 1 head of keys, 6 positions
// and `vocabulary` tokens, with fixed weights.
TinyNeedleFiles make_tiny_needle(std::size_t vocabulary);

// A model of the given pieces after <pad>, </s>, <s>, <unk>, <tool_call>,
// <tools> and the 256 bytes; earlier pieces are merged first.
std::string make_tiny_pieces(const std::vector<std::string>& pieces);

}  // namespace lamarck::text
