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

// The most significant byte first.
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

const IdxType* type_coded(unsigned char code) {
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
        "An IDX file begins with 4 bytes; this one has {}.", bytes.size()));
  }
  const IdxType* type = type_coded(static_cast<unsigned char>(bytes[2]));
  if (bytes[0] != 0 || bytes[1] != 0 || type == nullptr) {
    return damaged(fmt::format(
        "This is not an IDX file: it begins with 0x{:08x} instead of 0, 0, a "
        "type and a number of axes.",
        big_endian<std::uint32_t>(bytes.data())));
  }
  return type;
}

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;

// Fails unless the sizes lead to exactly the bytes that are there, so that a
// damaged size never asks for memory.
Result<Shape> read_shape(std::string_view bytes, std::size_t number_bytes) {
  const std::size_t rank = static_cast<unsigned char>(bytes[3]);
  if (rank == 0 || rank > Shape::kMaxRank) {
    return damaged(fmt::format("An IDX file has 1 to {} axes here, not {}.",
                               Shape::kMaxRank, rank));
  }
  const std::size_t start = 4 + 4 * rank;
  if (bytes.size() < start) {
    return damaged(
        fmt::format("The file ends within the sizes of its {} axes.", rank));
  }
  std::vector<std::int64_t> sizes;
  std::uint64_t room = number_bytes;  // As if no axis were empty.
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto size = big_endian<std::uint32_t>(bytes.data() + 4 + 4 * axis);
    sizes.push_back(size);
    const std::uint64_t factor = std::max(size, 1u);
    if (room > kMostBytes / factor) {
      return damaged(fmt::format(
          "The sizes of the axes are too large, from axis {} on with {}.", axis,
          size));
    }
    room *= factor;
  }
  const bool is_empty = std::ranges::count(sizes, 0) > 0;
  const std::uint64_t wanted = is_empty ? 0 : room;
  const std::uint64_t found = bytes.size() - start;
  if (found != wanted) {
    return damaged(fmt::format(
        "The sizes of the axes ask for {} bytes of numbers, but there are {}; "
        "the file is {}.",
        wanted, found,
        found < wanted ? "cut off" : "longer than it should be"));
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
