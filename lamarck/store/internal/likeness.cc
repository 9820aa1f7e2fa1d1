#include "lamarck/store/internal/likeness.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace lamarck::store::internal {
namespace {

// A command is one byte: below 128, so many and one more new bytes follow; from
// 128, a piece of (command - 124) bytes is copied from two bytes' distance to
// the beginning of the pattern, which the text so far continues.
constexpr std::size_t kMostNew = 128;
constexpr std::size_t kLeastPiece = 4;
constexpr std::size_t kMostPiece = 131;
constexpr std::size_t kPatternBytes = 32768;
constexpr std::size_t kReach = 65536;  // Of two bytes.
constexpr std::size_t kSlots = 4096;

std::size_t slot_of(const char* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, kLeastPiece);
  return (word * 2654435761u) >> 20;
}

// Finds pieces in the pattern and in the text so far.
class Packer {
 public:
  Packer(std::string_view text, std::string_view pattern)
      : all_(pattern.substr(0, kPatternBytes)), begin_(all_.size()) {
    all_ += text;
    slots_.fill(-1);
    while (known_ < begin_) learn();
  }

  std::string pack() {
    std::size_t at = begin_;
    std::size_t first_new = begin_;
    while (at < all_.size()) {
      const std::size_t size = piece_at(at);
      if (size < kLeastPiece) {
        ++at;
        continue;
      }
      add_new(first_new, at);
      add_piece(size);
      at += size;
      first_new = at;
      while (known_ < at) learn();
    }
    add_new(first_new, at);
    return std::move(packed_);
  }

 private:
  void learn() {
    if (known_ + kLeastPiece <= all_.size()) {
      slots_[slot_of(&all_[known_])] = static_cast<std::int32_t>(known_);
    }
    ++known_;
  }

  // How long the piece is that could be copied to `at`; found_ is where from.
  std::size_t piece_at(std::size_t at) {
    while (known_ < at) learn();
    if (at + kLeastPiece > all_.size()) return 0;
    const std::int32_t place = slots_[slot_of(&all_[at])];
    if (place < 0 || static_cast<std::size_t>(place) >= kReach) return 0;
    found_ = static_cast<std::size_t>(place);
    const std::size_t most = std::min(kMostPiece, all_.size() - at);
    std::size_t size = 0;
    while (size < most && all_[found_ + size] == all_[at + size]) ++size;
    return size;
  }

  void add_piece(std::size_t size) {
    packed_.push_back(static_cast<char>(size - kLeastPiece + 128));
    packed_.push_back(static_cast<char>(found_ & 255));
    packed_.push_back(static_cast<char>(found_ >> 8));
  }

  void add_new(std::size_t from, std::size_t to) {
    while (from < to) {
      const std::size_t size = std::min(to - from, kMostNew);
      packed_.push_back(static_cast<char>(size - 1));
      packed_.append(all_, from, size);
      from += size;
    }
  }

  std::string all_;  // The pattern, then the text.
  std::size_t begin_;
  std::size_t known_ = 0;  // The bytes before it are in slots_.
  std::size_t found_ = 0;
  std::array<std::int32_t, kSlots> slots_;  // Where four bytes stood last.
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
    if (command < kMostNew) {
      const std::size_t size = command + 1;
      if (packed.size() < 1 + size) return std::nullopt;
      all.append(packed.substr(1, size));
      packed.remove_prefix(1 + size);
      continue;
    }
    if (packed.size() < 3) return std::nullopt;
    const std::size_t from = byte_at(packed, 1) + 256 * byte_at(packed, 2);
    if (from >= all.size()) return std::nullopt;
    const std::size_t size = command - 128 + kLeastPiece;
    // Byte by byte: a piece may reach into what it makes.
    for (std::size_t i = 0; i < size; ++i) all.push_back(all[from + i]);
    packed.remove_prefix(3);
  }
  return all.substr(begin);
}

}  // namespace lamarck::store::internal
