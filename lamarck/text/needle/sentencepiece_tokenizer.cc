#include "lamarck/text/needle/sentencepiece_tokenizer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <queue>
#include <utility>
#include <utf8proc.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/text/internal/characters.h"
#include "lamarck/text/needle/protobuf_fields.h"

namespace lamarck::text {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581.
constexpr std::size_t kMaxPieces = 1 << 20;

// Numbers of fields and values in sentencepiece_model.proto.
constexpr std::uint32_t kModelPiece = 1;
constexpr std::uint32_t kModelTrainer = 2;
constexpr std::uint32_t kModelNormalizer = 3;
constexpr std::uint32_t kTrainerType = 3;
constexpr std::uint32_t kTrainerByteFallback = 35;
constexpr std::uint32_t kNormalizerTable = 2;
constexpr std::uint64_t kBytePairs = 2;

Error damaged_tokenizer(std::string_view what) {
  return Error(ErrorCode::DataDamaged,
               "The SentencePiece model is damaged: " + std::string(what) +
                   "; fetch the model again.");
}

// The size of the first character; 0 if it is not valid UTF-8.
std::size_t character_size(std::string_view text) {
  utf8proc_int32_t code = -1;
  const utf8proc_ssize_t size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

std::string with_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    if (piece.substr(at).starts_with(kSpace)) {
      text += ' ';
      at += kSpace.size();
    } else {
      text += piece[at++];
    }
  }
  return text;
}

// Sets one flag of the trainer and refuses other algorithms.
Result<bool> read_trainer(std::string_view message) {
  bool has_bytes = false;
  std::uint64_t type = 1;
  ProtobufFields fields(message);
  while (const auto field = fields.next()) {
    if (field->number == kTrainerType) type = field->integer;
    if (field->number == kTrainerByteFallback) has_bytes = field->integer != 0;
  }
  if (fields.is_damaged()) return damaged_tokenizer("a field is cut off");
  if (type != kBytePairs || !has_bytes) {
    return Error(ErrorCode::Unsupported,
                 "The SentencePiece model must use byte-pair encoding with "
                 "byte pieces for unknown characters.");
  }
  return true;
}

Result<void> check_normalizer(std::string_view message) {
  ProtobufFields fields(message);
  while (const auto field = fields.next()) {
    const bool is_plain =
        field->number == 1 ||
        (field->number == kNormalizerTable ? field->bytes.empty()
                                           : field->integer == 1);
    if (!is_plain) {
      return Error(ErrorCode::Unsupported,
                   "The SentencePiece model must not normalize characters.");
    }
  }
  if (fields.is_damaged()) return damaged_tokenizer("a field is cut off");
  return {};
}

}  // namespace

Result<void> SentencePieceTokenizer::add_piece(std::string_view message) {
  Piece piece;
  std::uint64_t type = 1;
  ProtobufFields fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) piece.text = std::string(field->bytes);
    if (field->number == 2) {
      piece.score =
          std::bit_cast<float>(static_cast<std::uint32_t>(field->integer));
    }
    if (field->number == 3) type = field->integer;
  }
  if (fields.is_damaged() || piece.text.empty()) {
    return damaged_tokenizer("a piece is cut off");
  }
  const auto id = static_cast<std::int32_t>(pieces_.size());
  if (type == 2 || type == 3) {
    piece.kind = Kind::Special;
    special_ids_.emplace(piece.text, id);
  } else if (type == 6) {
    piece.kind = Kind::Byte;
    unsigned value = 256;
    const bool is_named = piece.text.size() == 6 &&
                          piece.text.starts_with("<0x") &&
                          piece.text.ends_with('>');
    if (is_named) {
      std::from_chars(piece.text.data() + 3, piece.text.data() + 5, value, 16);
    }
    if (value > 255) return damaged_tokenizer("a byte piece has no byte");
    byte_ids_[value] = id;
    piece.bytes = std::string(1, static_cast<char>(value));
  } else if (type == 1 || type == 4) {
    piece.kind = type == 4 ? Kind::UserDefined : Kind::Normal;
    if (type == 4) user_defined_.push_back(piece.text);
    ids_.emplace(piece.text, id);
    piece.bytes = with_spaces(piece.text);
  } else {
    return Error(ErrorCode::Unsupported,
                 "The SentencePiece model has pieces of an unknown kind.");
  }
  pieces_.push_back(std::move(piece));
  return {};
}

Result<SentencePieceTokenizer> SentencePieceTokenizer::parse(
    std::string_view file) {
  SentencePieceTokenizer tokenizer;
  tokenizer.byte_ids_.assign(256, -1);
  bool is_supported = false;
  ProtobufFields fields(file);
  while (const auto field = fields.next()) {
    if (!field->has_bytes) continue;
    if (field->number == kModelPiece) {
      if (tokenizer.pieces_.size() == kMaxPieces) {
        return damaged_tokenizer("it has too many pieces");
      }
      RETURN_IF_ERROR(tokenizer.add_piece(field->bytes));
    } else if (field->number == kModelTrainer) {
      ASSIGN_OR_RETURN(is_supported, read_trainer(field->bytes));
    } else if (field->number == kModelNormalizer) {
      RETURN_IF_ERROR(check_normalizer(field->bytes));
    }
  }
  if (fields.is_damaged()) return damaged_tokenizer("a field is cut off");
  if (!is_supported || std::ranges::count(tokenizer.byte_ids_, -1) > 0) {
    return damaged_tokenizer("it must have a piece for each byte");
  }
  return tokenizer;
}

std::int32_t SentencePieceTokenizer::find(std::string_view piece) const {
  const std::string key(piece);
  if (const auto found = ids_.find(key); found != ids_.end()) {
    return found->second;
  }
  const auto found = special_ids_.find(key);
  return found == special_ids_.end() ? -1 : found->second;
}

const std::string& SentencePieceTokenizer::bytes(std::int32_t token) const {
  REQUIRE(token >= 0 && static_cast<std::size_t>(token) < pieces_.size(),
          "SentencePiece: the token must be below {}, got {}.", pieces_.size(),
          token);
  return pieces_[static_cast<std::size_t>(token)].bytes;
}

// The size of the longest user-defined piece that `text` begins with.
std::size_t SentencePieceTokenizer::user_defined_prefix(
    std::string_view text) const {
  std::size_t size = 0;
  for (const std::string& piece : user_defined_) {
    if (text.starts_with(piece)) size = std::max(size, piece.size());
  }
  return size;
}

std::string SentencePieceTokenizer::normalize(std::string_view text) const {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return "";
  std::string normal(kSpace);
  bool after_space = true;
  while (!text.empty()) {
    const std::size_t fixed = user_defined_prefix(text);
    const std::size_t size = fixed > 0 ? fixed : character_size(text);
    if (size == 0) {
      normal += "\xEF\xBF\xBD";  // U+FFFD.
    } else if (text.front() == ' ') {
      if (!after_space) normal += kSpace;
    } else {
      normal += text.substr(0, size);
    }
    after_space = text.front() == ' ';
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  while (normal.ends_with(kSpace)) normal.resize(normal.size() - kSpace.size());
  return normal;
}

std::vector<std::int32_t> SentencePieceTokenizer::encode(
    std::string_view text) const {
  struct Symbol {
    std::size_t begin = 0;
    std::size_t size = 0;  // 0 = merged into its left neighbor.
    std::ptrdiff_t left = -1;
    std::ptrdiff_t right = -1;
    bool is_fixed = false;
  };
  struct Pair {
    float score = 0;
    std::ptrdiff_t left = 0;
    std::ptrdiff_t right = 0;
    std::size_t size = 0;

    // The best is the one with the highest score, then the leftmost.
    bool operator<(const Pair& other) const {
      return score != other.score ? score < other.score : left > other.left;
    }
  };
  const std::string normal = normalize(text);
  std::vector<Symbol> symbols;
  for (std::size_t at = 0; at < normal.size();) {
    const std::string_view rest = std::string_view(normal).substr(at);
    const std::size_t fixed = user_defined_prefix(rest);
    const std::size_t size = fixed > 0 ? fixed : character_size(rest);
    const auto index = static_cast<std::ptrdiff_t>(symbols.size());
    symbols.push_back({at, size, index - 1, index + 1, fixed > 0});
    at += size;
  }
  if (symbols.empty()) return {};
  symbols.back().right = -1;
  const auto symbol = [&](std::ptrdiff_t i) -> Symbol& {
    return symbols[static_cast<std::size_t>(i)];
  };
  std::priority_queue<Pair> pairs;
  const auto offer = [&](std::ptrdiff_t left, std::ptrdiff_t right) {
    if (left == -1 || right == -1) return;
    if (symbol(left).is_fixed || symbol(right).is_fixed) return;
    const std::size_t size = symbol(left).size + symbol(right).size;
    const auto found = ids_.find(normal.substr(symbol(left).begin, size));
    if (found == ids_.end()) return;
    pairs.push({pieces_[static_cast<std::size_t>(found->second)].score, left,
                right, size});
  };
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    const auto right = static_cast<std::ptrdiff_t>(i);
    offer(right - 1, right);
  }
  while (!pairs.empty()) {
    const Pair best = pairs.top();
    pairs.pop();
    Symbol& left = symbol(best.left);
    Symbol& right = symbol(best.right);
    if (left.size == 0 || right.size == 0 ||
        left.size + right.size != best.size) {
      continue;  // One of them was merged since.
    }
    left.size = best.size;
    right.size = 0;
    left.right = right.right;
    if (right.right != -1) symbol(right.right).left = best.left;
    offer(left.left, best.left);
    offer(best.left, left.right);
  }
  std::vector<std::int32_t> tokens;
  for (std::ptrdiff_t i = 0; i != -1; i = symbol(i).right) {
    const std::string piece = normal.substr(symbol(i).begin, symbol(i).size);
    if (const auto found = ids_.find(piece); found != ids_.end()) {
      tokens.push_back(found->second);
      continue;
    }
    for (const char c : piece) {
      tokens.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    }
  }
  return tokens;
}

std::string SentencePieceTokenizer::decode(
    const std::vector<std::int32_t>& tokens) const {
  std::string text;
  std::string bytes;  // Byte pieces that follow each other.
  const auto flush = [&] {
    if (bytes.empty()) return;
    text += encode_utf8(decode_utf8(bytes));
    bytes.clear();
  };
  for (const std::int32_t token : tokens) {
    if (token < 0 || static_cast<std::size_t>(token) >= pieces_.size())
      continue;
    const Piece& piece = pieces_[static_cast<std::size_t>(token)];
    if (piece.kind == Kind::Special) continue;
    if (piece.kind == Kind::Byte) {
      bytes += piece.bytes;
    } else {
      flush();
      // The space that `encode` puts first; at the beginning SentencePiece
      // drops one of each piece.
      const bool drops_space = text.empty() && piece.bytes.starts_with(' ');
      text += drops_space ? piece.bytes.substr(1) : piece.bytes;
    }
  }
  flush();
  return text;
}

}  // namespace lamarck::text
