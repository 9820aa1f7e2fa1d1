#include "lamarck/base/decompression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "lamarck/base/macros.h"

namespace lamarck {
namespace {

constexpr std::string_view kGzipStart = "\x1F\x8B";
constexpr std::string_view kZstdStart = "\x28\xB5\x2F\xFD";
constexpr std::size_t kStep = std::size_t{1} << 18;

Error cut_short(const char* format) {
  return {ErrorCode::DataDamaged,
          std::string("The ") + format +
              " data ends too early; copy the file again."};
}

Error corrupt(const char* format) {
  return {ErrorCode::DataDamaged, std::string("The ") + format +
                                      " data is corrupt; copy the file again."};
}

// A result whose size is limited.
class Output {
 public:
  explicit Output(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns space for kStep more bytes.
  char* space() {
    bytes_.resize(used_ + kStep);
    return bytes_.data() + used_;
  }
  Result<void> add(std::size_t count) {
    used_ += count;
    if (used_ <= max_bytes_) return {};
    return Error(ErrorCode::InvalidArgument,
                 "The data decompresses to more than " +
                     std::to_string(max_bytes_) +
                     " bytes; decompress the file first, or split it.");
  }
  std::string finish() && {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  std::uint64_t max_bytes_;
  std::string bytes_;
  std::size_t used_ = 0;
};

// Frees the state of zlib.
struct EndOfInflation {
  void operator()(z_stream* stream) const { ::inflateEnd(stream); }
};

void give_input(z_stream& stream, std::string_view& bytes) {
  if (stream.avail_in > 0 || bytes.empty()) return;
  const std::size_t count =
      std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
  stream.avail_in = static_cast<uInt>(count);
  // zlib does not change its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  bytes.remove_prefix(count);
}

Result<std::string> inflate_all(std::string_view bytes,
                                std::uint64_t max_bytes) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream{};
  if (::inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, EndOfInflation> guard(&stream);
  Output output(max_bytes);
  for (;;) {
    give_input(stream, bytes);
    stream.next_out = reinterpret_cast<Bytef*>(output.space());
    stream.avail_out = static_cast<uInt>(kStep);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    RETURN_IF_ERROR(output.add(kStep - stream.avail_out));
    const bool is_at_end = stream.avail_in == 0 && bytes.empty();
    if (status == Z_STREAM_END) {
      if (is_at_end) return std::move(output).finish();
      // Files that were joined have several parts.
      if (::inflateReset(&stream) != Z_OK) return corrupt("gzip");
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && is_at_end && stream.avail_out > 0)) {
      return cut_short("gzip");
    } else if (status != Z_OK) {
      return corrupt("gzip");
    }
  }
}

struct EndOfZstd {
  void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
};

Result<std::string> decompress_zstd(std::string_view bytes,
                                    std::uint64_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, EndOfZstd> stream(::ZSTD_createDStream());
  if (stream == nullptr) throw std::bad_alloc();
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  Output output(max_bytes);
  for (;;) {
    ZSTD_outBuffer out{output.space(), kStep, 0};
    const std::size_t left =
        ::ZSTD_decompressStream(stream.get(), &out, &input);
    if (::ZSTD_isError(left) != 0) return corrupt("Zstandard");
    RETURN_IF_ERROR(output.add(out.pos));
    // `left` is 0 at the end of each part.
    const bool is_at_end = input.pos == input.size;
    if (is_at_end && left == 0) return std::move(output).finish();
    if (is_at_end && out.pos < kStep) return cut_short("Zstandard");
  }
}

}  // namespace

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with(kGzipStart) || bytes.starts_with(kZstdStart);
}

Result<std::string> decompress(std::string_view bytes,
                               std::uint64_t max_bytes) {
  return bytes.starts_with(kGzipStart) ? inflate_all(bytes, max_bytes)
                                       : decompress_zstd(bytes, max_bytes);
}

}  // namespace lamarck
