// Fuzzes the HTTP parser with libFuzzer (`make fuzz`).
//
// The first byte is the size of the pieces in which the rest is fed. The
// requests must not depend on it, and their memory stays within the limits.

#include "lamarck/net/internal/http_request_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/ensure.h"

namespace lamarck::net::internal {
namespace {

constexpr RequestLimits kLimits{
    .header_bytes = 1000, .header_lines = 20, .body_bytes = 2000};
// A body grows by doubling, and a header costs more than its text.
constexpr std::size_t kMaxHeld = 1000 + 2 * 2000 + 20 * 200;

std::string describe(HttpRequest& request) {
  std::string text = request.method + " " + request.path + "?" + request.query;
  for (const auto& [name, value] : request.headers) {
    text += "|" + name + ":" + value;
  }
  return text + "|" + request.body + "\n";
}

// Returns the complete requests. A rejection is not part of it: how early it is
// known depends on the pieces.
std::string parse(std::string_view bytes, std::size_t piece) {
  HttpRequestParser parser(kLimits);
  std::string requests;
  std::string unread;
  while (parser.state() != HttpRequestParser::State::Bad) {
    const std::size_t used = parser.feed(unread);
    ENSURE(used <= unread.size(), "the parser consumes only what it gets");
    ENSURE(parser.held_bytes() <= kMaxHeld, "the memory is limited");
    unread.erase(0, used);
    switch (parser.state()) {
      case HttpRequestParser::State::Headed:
        ENSURE(parser.has_begun(), "a request with headers has begun");
        continue;
      case HttpRequestParser::State::Done:
        requests += describe(parser.request());
        parser.reset();
        continue;
      case HttpRequestParser::State::Bad:
        continue;
      case HttpRequestParser::State::Head:
      case HttpRequestParser::State::Body:
        break;
    }
    if (bytes.empty()) return requests;
    const std::size_t size = std::min(piece, bytes.size());
    unread += bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  return requests;
}

}  // namespace
}  // namespace lamarck::net::internal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const std::size_t piece = std::max<std::size_t>(data[0], 1);
  const auto in_pieces = lamarck::net::internal::parse(bytes, piece);
  const auto at_once = lamarck::net::internal::parse(bytes, bytes.size() + 1);
  ENSURE(in_pieces == at_once, "the size of the pieces does not matter");
  return 0;
}
