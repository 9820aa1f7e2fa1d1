#include "lamarck/base/text_encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "lamarck/base/one_line.h"

namespace lamarck {
namespace {

struct CloseConverter {
  void operator()(void* converter) const { ::iconv_close(converter); }
};

// The zero bytes among those at even or odd positions.
std::size_t count_zeros(std::string_view bytes, std::size_t first) {
  std::size_t zeros = 0;
  for (std::size_t i = first; i < bytes.size(); i += 2) {
    if (bytes[i] == '\0') ++zeros;
  }
  return zeros;
}

}  // namespace

Result<std::string> to_utf8(std::string_view bytes,
                            const std::string& encoding) {
  // The prefix of a name with a slash or a comma selects other behaviour.
  const bool is_name = encoding.find_first_of("/,") == std::string::npos;
  void* opened = is_name && !encoding.empty()
                     ? ::iconv_open("UTF-8", encoding.c_str())
                     : reinterpret_cast<void*>(-1);
  if (opened == reinterpret_cast<void*>(-1)) {
    return Error(ErrorCode::InvalidArgument,
                 "The encoding must be a name that iconv knows, such as "
                 "latin1, windows-1252 or utf-16, got " +
                     in_quotes(encoding) + ".");
  }
  const std::unique_ptr<void, CloseConverter> converter(opened);
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 4);
  // iconv does not change its input.
  char* input = const_cast<char*>(bytes.data());
  std::size_t input_left = bytes.size();
  std::array<char, 1 << 16> buffer{};
  while (input_left > 0) {
    char* output = buffer.data();
    std::size_t output_left = buffer.size();
    const std::size_t status =
        ::iconv(opened, &input, &input_left, &output, &output_left);
    const bool is_full = status == static_cast<std::size_t>(-1);
    const int reason = errno;
    text.append(buffer.data(), buffer.size() - output_left);
    if (is_full && reason != E2BIG) {
      return Error(ErrorCode::InvalidArgument,
                   "The text is not valid " + encoding + " at byte " +
                       std::to_string(bytes.size() - input_left + 1) +
                       "; give its real encoding.");
    }
  }
  return text;
}

std::string guess_encoding(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::size_t kSample = 4096;
  if (bytes.starts_with("\xFF\xFE\0\0"sv)) return "utf-32";
  if (bytes.starts_with("\xFF\xFE"sv)) return "utf-16";
  if (bytes.starts_with("\xFE\xFF"sv)) return "utf-16";
  // Mostly ASCII text in UTF-16 has a zero byte in almost every character.
  const std::string_view sample = bytes.substr(0, kSample);
  const std::size_t many = sample.size() / 4;
  if (many > 0 && count_zeros(sample, 1) >= many) return "utf-16le";
  if (many > 0 && count_zeros(sample, 0) >= many) return "utf-16be";
  // Windows uses codes for its quotes and the euro that Latin-1 does not have.
  const bool is_windows = std::ranges::any_of(bytes, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= 0x80 && code < 0xA0;
  });
  return is_windows ? "windows-1252" : "latin1";
}

}  // namespace lamarck
