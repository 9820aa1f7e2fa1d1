#include "lamarck/net/internal/http_wire.h"

#include <time.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "lamarck/base/clock.h"

namespace lamarck::net::internal {
namespace {

struct StatusName {
  int status;
  std::string_view reason;
};

constexpr std::array kStatusNames = {
    StatusName{100, "Continue"},
    StatusName{200, "OK"},
    StatusName{201, "Created"},
    StatusName{202, "Accepted"},
    StatusName{204, "No Content"},
    StatusName{206, "Partial Content"},
    StatusName{301, "Moved Permanently"},
    StatusName{302, "Found"},
    StatusName{303, "See Other"},
    StatusName{304, "Not Modified"},
    StatusName{307, "Temporary Redirect"},
    StatusName{308, "Permanent Redirect"},
    StatusName{400, "Bad Request"},
    StatusName{401, "Unauthorized"},
    StatusName{403, "Forbidden"},
    StatusName{404, "Not Found"},
    StatusName{405, "Method Not Allowed"},
    StatusName{406, "Not Acceptable"},
    StatusName{408, "Request Timeout"},
    StatusName{409, "Conflict"},
    StatusName{410, "Gone"},
    StatusName{411, "Length Required"},
    StatusName{412, "Precondition Failed"},
    StatusName{413, "Content Too Large"},
    StatusName{415, "Unsupported Media Type"},
    StatusName{416, "Range Not Satisfiable"},
    StatusName{417, "Expectation Failed"},
    StatusName{422, "Unprocessable Content"},
    StatusName{429, "Too Many Requests"},
    StatusName{431, "Request Header Fields Too Large"},
    StatusName{500, "Internal Server Error"},
    StatusName{501, "Not Implemented"},
    StatusName{502, "Bad Gateway"},
    StatusName{503, "Service Unavailable"},
    StatusName{504, "Gateway Timeout"},
};

// "Mon, 16 Nov 2026 09:30:00 GMT", cached for a second per thread. Does not use
// %a and %b of strftime, which depend on the locale.
const std::string& date_now() {
  thread_local std::time_t known = -1;
  thread_local std::string text;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      SystemClock().wall_time().time_since_epoch());
  const std::time_t now = seconds.count();
  if (now == known) return text;
  std::tm parts{};
  gmtime_r(&now, &parts);
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed",
                                "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::array<char, 32> tail{};
  const std::size_t size =
      std::strftime(tail.data(), tail.size(), " %Y %H:%M:%S GMT", &parts);
  const int day = parts.tm_mday;
  text = kDays[static_cast<std::size_t>(parts.tm_wday)];
  text += day < 10 ? ", 0" : ", ";
  text += std::to_string(day) + " ";
  text += kMonths[static_cast<std::size_t>(parts.tm_mon)];
  text.append(tail.data(), size);
  known = now;
  return text;
}

void append_number(std::string& out, std::uint64_t number, int base) {
  std::array<char, 24> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  out.append(digits.data(), end.ptr);
}

bool same_name(std::string_view a, std::string_view b) {
  const HeaderNameLess less;
  return a.size() == b.size() && !less(a, b) && !less(b, a);
}

// Headers that the server sets itself.
bool is_reserved(std::string_view name) {
  return same_name(name, "content-length") ||
         same_name(name, "transfer-encoding") ||
         same_name(name, "connection") || same_name(name, "date");
}

// Control characters could start a new header line.
void append_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(byte < 0x20 || byte == 0x7f ? ' ' : c);
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view reason_phrase(int status) {
  for (const StatusName& name : kStatusNames) {
    if (name.status == status) return name.reason;
  }
  return "";
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

void append_head(std::string& out, int status, const HttpHeaders& headers,
                 const AnswerShape& shape, std::optional<std::size_t> length) {
  out += shape.is_http11 ? "HTTP/1.1 " : "HTTP/1.0 ";
  append_number(out, static_cast<std::uint64_t>(status), 10);
  out += ' ';
  out += reason_phrase(status);
  out += "\r\nDate: ";
  out += date_now();
  for (const auto& [name, value] : headers) {
    if (is_reserved(name)) continue;
    out += "\r\n";
    append_value(out, name);
    out += ": ";
    append_value(out, value);
  }
  if (length && may_have_body(status)) {
    out += "\r\nContent-Length: ";
    append_number(out, *length, 10);
  } else if (may_have_body(status) && shape.is_http11) {
    out += "\r\nTransfer-Encoding: chunked";
  }
  if (!shape.keep_alive) {
    out += "\r\nConnection: close";
  } else if (!shape.is_http11) {
    out += "\r\nConnection: keep-alive";
  }
  out += "\r\n\r\n";
}

void append_chunk(std::string& out, std::string_view piece) {
  if (piece.empty()) return;
  append_number(out, piece.size(), 16);
  out += "\r\n";
  out += piece;
  out += "\r\n";
}

std::optional<std::string> decode_percent(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

}  // namespace lamarck::net::internal
