#include "lamarck/data/idx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"

namespace lamarck::data {
namespace {

// IDX stores all numbers with the most significant byte first.
template <class Unsigned>
Unsigned big_endian(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return static_cast<Unsigned>(value);
}

template <class Number, class Unsigned>
void decode(const char* bytes, std::span<float> values) {
  for (float& value : values) {
    const auto bits = big_endian<Unsigned>(bytes);
    value = static_cast<float>(std::bit_cast<Number>(bits));
    bytes += sizeof(Number);
  }
}

// The element types of the format, by the third byte of the header.
struct IdxType {
  unsigned char code;
  std::size_t size_bytes;
  void (*decode)(const char* bytes, std::span<float> values);
};

constexpr IdxType kTypes[] = {
    {0x08, 1, decode<std::uint8_t, std::uint8_t>},
    {0x09, 1, decode<std::int8_t, std::uint8_t>},
    {0x0B, 2, decode<std::int16_t, std::uint16_t>},
    {0x0C, 4, decode<std::int32_t, std::uint32_t>},
    {0x0D, 4, decode<float, std::uint32_t>},
    {0x0E, 8, decode<double, std::uint64_t>},
};

const IdxType* find_type(unsigned char code) {
  for (const IdxType& type : kTypes) {
    if (type.code == code) return &type;
  }
  return nullptr;
}

Error damaged(std::string message) {
  return {ErrorCode::DataDamaged, std::move(message)};
}

Result<const IdxType*> read_type(std::string_view bytes) {
  if (bytes.starts_with("\x1F\x8B")) {
    return Error(ErrorCode::Unsupported,
                 "This looks gzip-compressed; run gunzip on it first.");
  }
  if (bytes.size() < 4) {
    return damaged(fmt::format(
        "An IDX file starts with a header of 4 bytes, but this file has {}.",
        bytes.size()));
  }
  const IdxType* type = find_type(static_cast<unsigned char>(bytes[2]));
  if (bytes[0] != 0 || bytes[1] != 0 || type == nullptr) {
    return damaged(
        fmt::format("This is not an IDX file: it starts with 0x{:08x} instead "
                    "of two zero bytes, a type and the number of axes.",
                    big_endian<std::uint32_t>(bytes.data())));
  }
  return type;
}

// Keeps the product of the sizes far below the range of 64 bits.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 60;

// Fails unless the sizes match the length of the file exactly, so that a
// damaged size never triggers a huge allocation.
Result<Shape> read_shape(std::string_view bytes, std::size_t number_bytes) {
  const std::size_t rank = static_cast<unsigned char>(bytes[3]);
  if (rank == 0 || rank > Shape::kMaxRank) {
    return damaged(
        fmt::format("The number of axes must be between 1 and {}, got {}.",
                    Shape::kMaxRank, rank));
  }
  // The header is followed by one 32-bit size per axis.
  const std::size_t start = 4 + 4 * rank;
  if (bytes.size() < start) {
    return damaged(
        fmt::format("The file ends before the sizes of its {} axes.", rank));
  }
  std::vector<std::int64_t> sizes;
  std::uint64_t byte_count = number_bytes;  // Counts an empty axis as 1.
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto size = big_endian<std::uint32_t>(bytes.data() + 4 + 4 * axis);
    sizes.push_back(size);
    const std::uint64_t factor = std::max(size, 1u);
    if (byte_count > kMaxBytes / factor) {
      return damaged(fmt::format(
          "The sizes of the axes are too large: axis {} has size {}.", axis,
          size));
    }
    byte_count *= factor;
  }
  const bool is_empty = std::ranges::count(sizes, 0) > 0;
  const std::uint64_t wanted = is_empty ? 0 : byte_count;
  const std::uint64_t found = bytes.size() - start;
  if (found != wanted) {
    return damaged(
        fmt::format("The sizes of the axes require {} bytes of numbers, but "
                    "the file has {}; it is {}.",
                    wanted, found, found < wanted ? "truncated" : "too long"));
  }
  return Shape(sizes);
}

}  // namespace

Result<Tensor> parse_idx(std::string_view bytes) {
  ASSIGN_OR_RETURN(const IdxType* const type, read_type(bytes));
  ASSIGN_OR_RETURN(const Shape shape, read_shape(bytes, type->size_bytes));
  Tensor tensor = Tensor::uninitialized(shape);
  type->decode(bytes.data() + 4 + 4 * shape.rank(), tensor.data());
  return tensor;
}

Result<Tensor> read_idx(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  return parse_idx(bytes).transform_error(
      [&](const Error& error) { return error.within(path.string()); });
}

}  // namespace lamarck::data
