#include "lamarck/store/internal/delta_compression.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace lamarck::store::internal {
namespace {

// The packed format is a sequence of commands of one byte. A command c < 128 is
// followed by c + 1 literal bytes. A command c >= 128 is followed by a two-byte
// offset, low byte first, and copies c - 124 bytes from that offset in the
// pattern followed by the text so far.
constexpr std::size_t kMaxLiteral = 128;
constexpr std::size_t kMinPiece = 4;
constexpr std::size_t kMaxPiece = 131;
constexpr std::size_t kPatternBytes = 32768;
constexpr std::size_t kReach = 65536;  // Offsets have two bytes.
constexpr std::size_t kSlots = 4096;

std::size_t hash_slot(const char* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, kMinPiece);
  return (word * 2654435761u) >> 20;  // Multiplicative hash to 12 bits.
}

// A greedy LZ77 encoder with a hash table of the last place of each four bytes.
class Packer {
 public:
  Packer(std::string_view text, std::string_view pattern)
      : all_(pattern.substr(0, kPatternBytes)), begin_(all_.size()) {
    all_ += text;
    slots_.fill(-1);
    while (known_ < begin_) index_next();
  }

  std::string pack() {
    std::size_t at = begin_;
    std::size_t first_new = begin_;
    while (at < all_.size()) {
      const std::size_t size = piece_at(at);
      if (size < kMinPiece) {
        ++at;
        continue;
      }
      add_new(first_new, at);
      add_piece(size);
      at += size;
      first_new = at;
      while (known_ < at) index_next();
    }
    add_new(first_new, at);
    return std::move(packed_);
  }

 private:
  void index_next() {
    if (known_ + kMinPiece <= all_.size()) {
      slots_[hash_slot(&all_[known_])] = static_cast<std::int32_t>(known_);
    }
    ++known_;
  }

  // Returns the length of the match at `at` and sets found_ to its source.
  std::size_t piece_at(std::size_t at) {
    while (known_ < at) index_next();
    if (at + kMinPiece > all_.size()) return 0;
    const std::int32_t place = slots_[hash_slot(&all_[at])];
    if (place < 0 || static_cast<std::size_t>(place) >= kReach) return 0;
    found_ = static_cast<std::size_t>(place);
    const std::size_t max_size = std::min(kMaxPiece, all_.size() - at);
    std::size_t size = 0;
    while (size < max_size && all_[found_ + size] == all_[at + size]) ++size;
    return size;
  }

  void add_piece(std::size_t size) {
    packed_.push_back(static_cast<char>(size - kMinPiece + 128));
    packed_.push_back(static_cast<char>(found_ & 255));
    packed_.push_back(static_cast<char>(found_ >> 8));
  }

  void add_new(std::size_t from, std::size_t to) {
    while (from < to) {
      const std::size_t size = std::min(to - from, kMaxLiteral);
      packed_.push_back(static_cast<char>(size - 1));
      packed_.append(all_, from, size);
      from += size;
    }
  }

  std::string all_;  // The pattern, then the text.
  std::size_t begin_;
  std::size_t known_ = 0;  // Positions below it are in slots_.
  std::size_t found_ = 0;
  std::array<std::int32_t, kSlots> slots_;  // Last position of four bytes.
  std::string packed_;
};

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

}  // namespace

std::string pack_like(std::string_view text, std::string_view pattern) {
  return Packer(text, pattern).pack();
}

std::optional<std::string> unpack_like(std::string_view packed,
                                       std::string_view pattern) {
  std::string all(pattern.substr(0, kPatternBytes));
  const std::size_t begin = all.size();
  while (!packed.empty()) {
    const std::size_t command = byte_at(packed, 0);
    if (command < kMaxLiteral) {
      const std::size_t size = command + 1;
      if (packed.size() < 1 + size) return std::nullopt;
      all.append(packed.substr(1, size));
      packed.remove_prefix(1 + size);
      continue;
    }
    if (packed.size() < 3) return std::nullopt;
    const std::size_t from = byte_at(packed, 1) + 256 * byte_at(packed, 2);
    if (from >= all.size()) return std::nullopt;
    const std::size_t size = command - 128 + kMinPiece;
    // Copy byte by byte: the source may overlap the bytes being written.
    for (std::size_t i = 0; i < size; ++i) all.push_back(all[from + i]);
    packed.remove_prefix(3);
  }
  return all.substr(begin);
}

}  // namespace lamarck::store::internal
