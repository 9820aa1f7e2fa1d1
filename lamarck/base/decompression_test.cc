#include "lamarck/base/decompression.h"

#include <zlib.h>
#include <zstd.h>
#include <gtest/gtest.h>

#include <string>

namespace lamarck {
namespace {

constexpr std::uint64_t kLimit = 1 << 24;

std::string to_gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string to_zstd(const std::string& text) {
  // The checksum lets every change be noticed.
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(),
                            text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

// Text that does not fit into one step of the decompressor.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + ",";
  return text;
}

class Decompression
    : public testing::TestWithParam<std::string (*)(const std::string&)> {};

TEST_P(Decompression, RestoresText) {
  for (const std::string& text : {std::string(), std::string("a,b\n1,2\n"),
                                  std::string(1 << 18, 'x'), long_text()}) {
    const std::string bytes = GetParam()(text);
    EXPECT_TRUE(is_compressed(bytes));
    const auto restored = decompress(bytes, kLimit);
    ASSERT_TRUE(restored) << restored.error().message();
    EXPECT_EQ(*restored, text);
  }
}

TEST_P(Decompression, JoinsParts) {
  EXPECT_EQ(decompress(GetParam()("one ") + GetParam()("two"), kLimit).value(),
            "one two");
}

TEST_P(Decompression, EveryCutIsAnError) {
  const std::string bytes = GetParam()("a,b\n1,2\n3,4\n");
  for (std::size_t size = 4; size < bytes.size(); ++size) {
    const auto restored = decompress(bytes.substr(0, size), kLimit);
    ASSERT_FALSE(restored) << size;
    EXPECT_EQ(restored.error().code(), ErrorCode::DataDamaged);
  }
}

TEST_P(Decompression, ChangedDataIsAnError) {
  std::string bytes = GetParam()(long_text());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);

  EXPECT_EQ(decompress(bytes, kLimit).error().code(), ErrorCode::DataDamaged);
  EXPECT_FALSE(decompress(GetParam()("a") + "rest", kLimit));
}

TEST_P(Decompression, LimitsSizeOfResult) {
  const std::string bytes = GetParam()(std::string(1000, 'x'));

  EXPECT_TRUE(decompress(bytes, 1000));
  EXPECT_EQ(decompress(bytes, 999).error(),
            Error(ErrorCode::InvalidArgument,
                  "The data decompresses to more than 999 bytes; decompress "
                  "the file first, or split it."));
}

INSTANTIATE_TEST_SUITE_P(Formats, Decompression,
                         testing::Values(to_gzip, to_zstd));

}  // namespace
}  // namespace lamarck
