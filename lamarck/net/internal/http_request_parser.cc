#include "lamarck/net/internal/http_request_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <boost/beast/http/basic_parser.hpp>

#include "lamarck/net/internal/free_memory.h"

namespace lamarck::net::internal {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// What a header costs besides its text.
constexpr std::size_t kBytesPerHeader = 128;

// Content-Length alone must not make the server allocate more.
constexpr std::size_t kMaxReserve = 256 * 1024;

std::string_view to_std(string_view text) { return {text.data(), text.size()}; }

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const HeaderNameLess less;
  return !less(a, b) && !less(b, a);
}

// Parses "/path?query", or "http://host/path?query" as sent to a proxy, and
// sets `authority` to the host and port of the latter. Returns whether the
// target is one of the two, or "*".
bool read_target(std::string_view target, HttpRequest& request,
                 std::string& authority) {
  if (const std::size_t scheme = target.find("://");
      scheme != std::string_view::npos && target.front() != '/') {
    const std::string_view name = target.substr(0, scheme);
    if (!equals_ignoring_case(name, "http") &&
        !equals_ignoring_case(name, "https")) {
      return false;
    }
    const std::size_t slash = target.find_first_of("/?", scheme + 3);
    authority = target.substr(scheme + 3, slash - scheme - 3);
    if (authority.empty()) return false;
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  const std::size_t mark = target.find('?');
  if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
  auto path = decode_percent(target.substr(0, mark));
  if (!path) return false;
  request.path = path->empty() ? "/" : std::move(*path);
  return request.path.front() == '/' || request.path == "*";
}

// Stores the parts that Beast finds in an HttpRequest.
class Reader final : public http::basic_parser<true> {
 public:
  Reader(RequestLimits limits, HttpRequest& request)
      : request_(request), max_lines_(limits.header_lines) {
    header_limit(static_cast<std::uint32_t>(
        std::min<std::size_t>(limits.header_bytes, UINT32_MAX)));
    body_limit(limits.body_bytes);
  }

  bool is_http11() const { return version_ >= 11; }
  // The status for a request that Beast accepts but we reject (see
  // HttpRequestParser), or 0.
  int refused_status() const {
    const auto encoding = request_.headers.find("Transfer-Encoding");
    if (encoding != request_.headers.end()) {
      if (request_.headers.contains("Content-Length")) return 400;
      if (!equals_ignoring_case(encoding->second, "chunked")) return 501;
      if (!is_http11()) return 400;
    }
    if (host_count_ > 1 || (host_count_ == 0 && is_http11())) return 400;
    return is_target_good_ ? 0 : 400;
  }

 private:
  void on_request_impl(http::verb, string_view method, string_view target,
                       int version, error_code&) override {
    request_.method = to_std(method);
    version_ = version;
    is_target_good_ = read_target(to_std(target), request_, authority_);
  }
  void on_field_impl(http::field name, string_view text, string_view value,
                     error_code& error) override {
    // Many short headers would take far more memory than their text.
    if (++line_count_ > max_lines_) error = http::error::header_limit;
    if (error || is_header_done()) return;  // Ignore trailers.
    if (name == http::field::host) ++host_count_;
    auto [entry, is_new] =
        request_.headers.try_emplace(std::string(to_std(text)), to_std(value));
    if (is_new) return;
    entry->second += ", ";
    entry->second += to_std(value);
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length,
                         error_code&) override {
    if (!length) return;
    request_.body.reserve(std::min<std::size_t>(*length, kMaxReserve));
  }
  std::size_t on_body_impl(string_view bytes, error_code&) override {
    request_.body += to_std(bytes);
    return bytes.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes,
                                 error_code&) override {
    request_.body += to_std(bytes);
    return bytes.size();
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  // The host of the target replaces the Host header (RFC 9112, 3.2.2), so that
  // whoever checks the header checks the host that was asked for.
  void on_header_impl(error_code&) override {
    if (!authority_.empty()) request_.headers["Host"] = authority_;
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  HttpRequest& request_;  // In the parser's Impl.
  const std::size_t max_lines_;
  std::size_t line_count_ = 0;
  int version_ = 11;
  int host_count_ = 0;
  bool is_target_good_ = false;
  std::string authority_;  // Of a target with a host; else empty.
};

int error_status(const error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  return 400;
}

}  // namespace

struct HttpRequestParser::Impl {
  explicit Impl(RequestLimits its_limits) : limits(its_limits) { reset(); }

  void reset() {
    free_memory(request.body);
    request = {};
    reader.emplace(limits, request);
    state = State::Head;
    bad_status = 0;
    has_begun = false;
    head_bytes = 0;
    framing_bytes = 0;
  }
  void refuse(int status) {
    state = State::Bad;
    bad_status = status;
  }
  // Runs one step of Beast. Returns how many bytes it consumed, and whether it
  // can continue with the rest.
  std::pair<std::size_t, bool> step(std::string_view bytes) {
    error_code error;
    const std::size_t used = reader->put(
        boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error && error != http::error::need_more) refuse(error_status(error));
    return {used, !error};
  }
  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);

  RequestLimits limits;
  HttpRequest request;
  std::optional<Reader> reader;  // For one request.
  State state = State::Head;
  int bad_status = 0;
  bool has_begun = false;         // Empty lines do not count.
  std::size_t head_bytes = 0;     // Consumed so far.
  std::size_t framing_bytes = 0;  // Bytes of chunks that are not content.
};

std::size_t HttpRequestParser::Impl::feed_head(std::string_view bytes) {
  std::size_t used = 0;
  if (head_bytes == 0) {  // Skip empty lines before a request.
    while (bytes.substr(used).starts_with("\r\n")) used += 2;
    if (used == bytes.size() || bytes.substr(used) == "\r") return used;
    has_begun = true;
  }
  const auto [read, can_continue] = step(bytes.substr(used));
  head_bytes += read;
  if (state == State::Bad) return used;
  // Beast's own limit sees only the bytes of one call, so count the total.
  const std::size_t waiting = can_continue ? 0 : bytes.size() - used - read;
  if (head_bytes + waiting > limits.header_bytes) refuse(431);
  if (state != State::Bad && reader->is_header_done()) {
    if (const int status = reader->refused_status(); status != 0) {
      refuse(status);
    } else {
      state = State::Headed;
    }
  }
  return used + read;
}

std::size_t HttpRequestParser::Impl::feed_body(std::string_view bytes) {
  std::size_t used = 0;
  while (state == State::Body && used < bytes.size()) {
    // Once it has seen "0\r\n", Beast asserts that the last chunk has five
    // bytes. No chunked body ends with fewer, so wait for them.
    const std::string_view rest = bytes.substr(used);
    constexpr std::size_t kLastChunkBytes = 5;
    if (rest.starts_with("0\r\n") && rest.size() < kLastChunkBytes &&
        reader->chunked()) {
      break;
    }
    const std::size_t had = request.body.size();
    const auto [read, can_continue] = step(rest);
    used += read;
    framing_bytes += read - (request.body.size() - had);
    const std::size_t waiting = can_continue ? 0 : bytes.size() - used;
    // Also limit chunk sizes, extensions and trailers.
    if (framing_bytes > limits.header_bytes + limits.body_bytes ||
        waiting > limits.header_bytes) {
      refuse(413);
    }
    if (state == State::Body && reader->is_done()) state = State::Done;
    if (!can_continue) break;
  }
  return used;
}

HttpRequestParser::HttpRequestParser(RequestLimits limits)
    : impl_(std::make_unique<Impl>(limits)) {}
HttpRequestParser::~HttpRequestParser() = default;

std::size_t HttpRequestParser::feed(std::string_view bytes) {
  switch (impl_->state) {
    case State::Head:
      return impl_->feed_head(bytes);
    case State::Headed:
      impl_->state = impl_->reader->is_done() ? State::Done : State::Body;
      return impl_->feed_body(bytes);
    case State::Body:
      return impl_->feed_body(bytes);
    case State::Done:
    case State::Bad:
      break;
  }
  return 0;
}

void HttpRequestParser::reset() { impl_->reset(); }

HttpRequestParser::State HttpRequestParser::state() const {
  return impl_->state;
}
int HttpRequestParser::bad_status() const { return impl_->bad_status; }
bool HttpRequestParser::has_begun() const { return impl_->has_begun; }
bool HttpRequestParser::has_body() const { return !impl_->reader->is_done(); }

std::size_t HttpRequestParser::held_bytes() const {
  return impl_->head_bytes + impl_->request.body.capacity() +
         impl_->request.headers.size() * kBytesPerHeader;
}

bool HttpRequestParser::expects_continue() const {
  return has_body() && impl_->reader->is_http11() &&
         equals_ignoring_case(impl_->request.header("Expect"), "100-continue");
}

AnswerShape HttpRequestParser::shape() const {
  const bool is_headed = impl_->reader->is_header_done();
  return {.is_http11 = impl_->reader->is_http11(),
          .is_head = impl_->request.method == "HEAD",
          .keep_alive = is_headed && impl_->state != State::Bad &&
                        impl_->reader->keep_alive()};
}

HttpRequest& HttpRequestParser::request() { return impl_->request; }

}  // namespace lamarck::net::internal
