#include "lamarck/net/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>

namespace lamarck::net {
namespace {

const unsigned char* as_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* as_bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string base64_encoded(std::string_view bytes) {
  std::string text;
  // libcrypto counts in int, so that long inputs go through in pieces of whole
  // groups, which need no padding in between.
  constexpr std::size_t kPiece = 3 << 20;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    const std::string_view piece = bytes.substr(0, kPiece);
    // It also writes a terminating zero.
    std::string digits((piece.size() + 2) / 3 * 4 + 1, '\0');
    const int written = EVP_EncodeBlock(as_bytes(digits), as_bytes(piece),
                                        static_cast<int>(piece.size()));
    text.append(digits, 0, static_cast<std::size_t>(written));
  }
  return text;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.size() % 4 != 0 ||
      text.size() > std::size_t{std::numeric_limits<int>::max()}) {
    return std::nullopt;
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(as_bytes(bytes), as_bytes(text),
                      static_cast<int>(text.size())) < 0) {
    return std::nullopt;
  }
  // It decodes padding as zeros, and accepts spaces and stray bits.
  const std::size_t padding =
      text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  bytes.resize(bytes.size() - padding);
  if (base64_encoded(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace lamarck::net
