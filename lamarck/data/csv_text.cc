#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lamarck/base/decompression.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/text_encoding.h"
#include "lamarck/base/unicode.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/internal/csv_scanner.h"

namespace lamarck::data {
namespace {

constexpr std::uint64_t kMaxInputBytes = std::uint64_t{1} << 32;
// Lower, because a small file can grow a thousandfold.
constexpr std::uint64_t kMaxDecompressedBytes = std::uint64_t{1} << 30;

Result<std::string> read_bytes(const std::filesystem::path& path,
                               const CancelToken& cancel) {
  if (is_standard_input(path)) {
    return read_descriptor(STDIN_FILENO, csv_name(path), kMaxInputBytes,
                           cancel);
  }
  // The shell names a pipe so: `lamarck predict model.lmk <(zcat new.csv.gz)`.
  const std::string name = path.string();
  if (!name.starts_with("/dev/fd/")) return read_file(path, kMaxInputBytes);
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return read_file(path, kMaxInputBytes);  // For its message.
  auto bytes = read_descriptor(file, name, kMaxInputBytes, cancel);
  ::close(file);
  return bytes;
}

// The line of the first byte that is not UTF-8 text.
std::size_t first_bad_line(std::string_view text) {
  std::size_t line = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view first = text.substr(0, end);
    const bool is_bad =
        first.find('\0') != std::string_view::npos || !is_valid_utf8(first);
    if (is_bad || end == text.size()) break;
    text.remove_prefix(end + 1);
    ++line;
  }
  return line;
}

// Whether each character has at least two bytes.
bool is_wide_encoding(const std::string& name) {
  return name.starts_with("utf-16") || name.starts_with("UTF-16") ||
         name.starts_with("utf-32") || name.starts_with("UTF-32");
}

// Text in an encoding of one byte per character has no zero bytes and hardly
// any control characters.
bool is_binary(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) return true;
  const auto controls = std::ranges::count_if(bytes, [](char c) {
    return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  return static_cast<std::size_t>(controls) > bytes.size() / 100;
}

Result<std::string> decode(std::string bytes, const CsvOptions& options) {
  if (is_compressed(bytes)) {
    ASSIGN_OR_RETURN(bytes, decompress(bytes, kMaxDecompressedBytes));
  }
  const bool is_text =
      bytes.find('\0') == std::string::npos && is_valid_utf8(bytes);
  if (!options.encoding.empty()) {
    if (is_text && is_wide_encoding(options.encoding)) {
      return csv_error(1, "the text is not " + options.encoding +
                              " but UTF-8; leave out --encoding.");
    }
    return to_utf8(bytes, options.encoding);
  }
  if (is_text) return bytes;
  const std::string guess = guess_encoding(bytes);
  if (!is_wide_encoding(guess) && is_binary(bytes)) {
    return csv_error(first_bad_line(bytes),
                     "this is not text but binary data, or the file is "
                     "damaged; save the table as CSV in UTF-8.");
  }
  return csv_error(first_bad_line(bytes),
                   "the text is not UTF-8 and looks like " + guess +
                       "; read it with --encoding " + guess +
                       ", or convert it with `iconv -f " + guess +
                       " -t utf-8`.");
}

}  // namespace

bool is_standard_input(const std::filesystem::path& path) {
  return path == "-" || path == "/dev/stdin";
}

std::string csv_name(const std::filesystem::path& path) {
  return is_standard_input(path) ? "standard input" : path.string();
}

Result<std::string> read_csv_text(const std::filesystem::path& path,
                                  const CsvOptions& options) {
  ASSIGN_OR_RETURN(std::string bytes, read_bytes(path, options.cancel));
  return decode(std::move(bytes), options)
      .transform_error(
          [&](const Error& error) { return error.within(csv_name(path)); });
}

}  // namespace lamarck::data
