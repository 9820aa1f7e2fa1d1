// Splits texts into the pieces of a SentencePiece model that was trained with
// byte-pair encoding, exactly as the SentencePiece library does.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::text {

// Thread safety: all const members may be called from any thread.
class SentencePieceTokenizer {
 public:
  // Reads a .model file. Fails if it is damaged or needs what is not supported:
  // unigram models, normalization tables, or characters without byte pieces.
  static Result<SentencePieceTokenizer> parse(std::string_view file);

  std::size_t size() const { return pieces_.size(); }
  // -1 if there is none, or if the text can be written with other pieces only.
  std::int32_t find(std::string_view piece) const;

  // Runs of spaces count as one; invalid UTF-8 becomes U+FFFD.
  std::vector<std::int32_t> encode(std::string_view text) const;
  // Unknown ids and control pieces are left out.
  std::string decode(const std::vector<std::int32_t>& tokens) const;
  // The bytes that a piece stands for, with its leading space; empty for
  // control pieces. REQUIRES: 0 <= token < size().
  const std::string& bytes(std::int32_t token) const;

 private:
  enum class Kind : std::uint8_t { Normal, Special, Byte, UserDefined };
  struct Piece {
    std::string text;   // As stored, with U+2581 for a space.
    std::string bytes;  // What it stands for.
    float score = 0;
    Kind kind = Kind::Normal;
  };

  Result<void> add_piece(std::string_view message);
  std::size_t user_defined_prefix(std::string_view text) const;
  std::string normalize(std::string_view text) const;

  std::vector<Piece> pieces_;
  std::unordered_map<std::string, std::int32_t> ids_;  // Normal, user-defined.
  std::unordered_map<std::string, std::int32_t> special_ids_;
  std::vector<std::string> user_defined_;
  std::vector<std::int32_t> byte_ids_;  // Of each byte.
};

}  // namespace lamarck::text
