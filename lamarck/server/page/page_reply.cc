#include "lamarck/server/page/page_reply.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <zlib.h>

#include "lamarck/base/error.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/rest/rest_reply.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kAssets = "/assets/";
constexpr std::string_view kIndex = "/index.html";
constexpr std::string_view kIcon = "/icon.svg";
// The first part of the address of each view.
constexpr std::array<std::string_view, 5> kViews = {
    "/runs", "/compare", "/thoughts", "/skills", "/agent"};

// No inline script or style, nothing from elsewhere, and no text that becomes
// markup.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
    "data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

constexpr std::string_view kNoPage =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<title>Lamarck</title>\n<p>This program was built without the page. To "
    "build it with the page, run <code>tools/install-deps page</code> and "
    "<code>make build</code> where the npm registry can be reached.</p>\n"
    "<p>The HTTP interface is at <code>/api/v1</code> and MCP at "
    "<code>/mcp</code>.</p>\n</html>\n";

bool is_view(std::string_view path) {
  if (path == "/") return true;
  return std::ranges::any_of(kViews, [&](std::string_view view) {
    return path.starts_with(view) &&
           (path.size() == view.size() || path[view.size()] == '/');
  });
}

std::string_view content_type(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

void add_security_headers(net::HttpHeaders& headers) {
  headers.emplace("Content-Security-Policy", kPolicy);
  headers.emplace("X-Content-Type-Options", "nosniff");
  headers.emplace("X-Frame-Options", "DENY");
  headers.emplace("Referrer-Policy", "no-referrer");
  headers.emplace("Cross-Origin-Opener-Policy", "same-origin");
  headers.emplace("Cross-Origin-Resource-Policy", "same-origin");
}

// Whether the list in `header` has `wanted`: `gzip, br;q=0.5` has gzip. A
// weight of zero excludes it.
bool list_has(std::string_view header, std::string_view wanted) {
  while (!header.empty()) {
    const std::size_t comma = header.find(',');
    std::string_view item = header.substr(0, comma);
    header = comma == std::string_view::npos ? "" : header.substr(comma + 1);
    while (item.starts_with(' ')) item.remove_prefix(1);
    if (item.starts_with("W/")) item.remove_prefix(2);
    const std::size_t mark = item.find(';');
    const bool is_excluded = mark != std::string_view::npos &&
                             (item.substr(mark).ends_with("q=0") ||
                              item.substr(mark).ends_with("q=0.0"));
    item = item.substr(0, mark);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!is_excluded && (item == wanted || item == "*")) return true;
  }
  return false;
}

// For the rare client that cannot read gzip. "" if the data are damaged.
std::string decompressed(std::string_view gzip) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return "";
  std::string text;
  std::array<char, 16384> piece{};
  // zlib does not write to its input.
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(gzip.size());
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());  // NOLINT
    stream.avail_out = static_cast<uInt>(piece.size());
    code = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END ? text : "";
}

net::HttpReply text_reply(int status, std::string_view type,
                          std::string_view body) {
  net::HttpReply reply;
  reply.status = status;
  reply.headers.emplace("Content-Type", type);
  reply.headers.emplace("Cache-Control", "no-cache");
  add_security_headers(reply.headers);
  reply.body = body;
  return reply;
}

net::HttpReply file_reply(const net::HttpRequest& request,
                          const PageFile& file) {
  net::HttpReply reply =
      text_reply(200, content_type(file.path), std::string_view());
  if (file.path.starts_with(kAssets)) {
    reply.headers["Cache-Control"] = "public, max-age=31536000, immutable";
  }
  reply.headers.emplace("ETag", file.tag);
  reply.headers.emplace("Vary", "Accept-Encoding");
  if (list_has(request.header("If-None-Match"), file.tag)) {
    reply.status = 304;
    return reply;
  }
  if (list_has(request.header("Accept-Encoding"), "gzip")) {
    reply.headers.emplace("Content-Encoding", "gzip");
    reply.body = file.gzip;
  } else {
    reply.body = decompressed(file.gzip);
  }
  return reply;
}

}  // namespace

bool is_page_path(std::string_view path) {
  return is_view(path) || path.starts_with(kAssets) || path == kIcon;
}

bool wants_page(const net::HttpRequest& request) {
  return (request.method == "GET" || request.method == "HEAD") &&
         list_has(request.header("Accept"), "text/html");
}

net::HttpReply page_reply(const net::HttpRequest& request,
                          std::span<const PageFile> files) {
  if (request.method != "GET" && request.method != "HEAD") {
    net::HttpReply reply = error_reply(
        405, Error(ErrorCode::Unsupported,
                   in_quotes(request.path) + " serves the page; use GET."));
    reply.headers.emplace("Allow", "GET, HEAD");
    return reply;
  }
  const bool is_unknown = !is_page_path(request.path);
  const std::string_view wanted = is_view(request.path) || is_unknown
                                      ? kIndex
                                      : std::string_view(request.path);
  const auto found = std::ranges::find(files, wanted, &PageFile::path);
  if (found != files.end()) {
    net::HttpReply reply = file_reply(request, *found);
    if (is_unknown && reply.status == 200) reply.status = 404;
    return reply;
  }
  if (wanted == kIndex) {
    return text_reply(is_unknown ? 404 : 200, content_type(kIndex), kNoPage);
  }
  // After an update, an open page may ask for a file of the old version.
  return text_reply(404, "text/plain; charset=utf-8",
                    "The page has no such file; reload it.\n");
}

}  // namespace lamarck::server
