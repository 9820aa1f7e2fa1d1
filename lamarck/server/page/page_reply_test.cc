#include "lamarck/server/page/page_reply.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <zlib.h>

namespace lamarck::server {
namespace {

std::string compressed(std::string text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string result(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

class PageReply : public testing::Test {
 protected:
  net::HttpReply get(const std::string& path, net::HttpHeaders headers = {}) {
    net::HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.headers = std::move(headers);
    return page_reply(request, files_);
  }

  const std::string index_ = compressed("<html>");
  const std::string script_ = compressed(std::string(100'000, 'x'));
  const std::array<PageFile, 2> files_ = {
      PageFile{"/index.html", "\"i1\"", index_},
      PageFile{"/assets/main-AB12.js", "\"s1\"", script_}};
};

TEST_F(PageReply, EveryViewServesTheIndex) {
  for (const char* path :
       {"/", "/runs", "/runs/net-1", "/thoughts/sess_1", "/skills", "/agent"}) {
    ASSERT_TRUE(is_page_path(path)) << path;
    const net::HttpReply reply = get(path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.body, "<html>") << path;
    EXPECT_EQ(reply.headers.at("Cache-Control"), "no-cache");
  }
}

TEST_F(PageReply, LeavesOtherPathsToOthers) {
  for (const char* path : {"/mcp", "/metrics", "/health", "/api/v1/runs",
                           "/runsx", "/index.html", "//", "/asset"}) {
    EXPECT_FALSE(is_page_path(path)) << path;
  }
}

TEST_F(PageReply, BrowserAtAnUnknownAddressGetsThePage) {
  net::HttpRequest request;
  request.method = "GET";
  request.path = "/nope";
  for (const char* accepted : {"", "*/*", "application/json", "text/plain"}) {
    request.headers = {{"Accept", accepted}};
    EXPECT_FALSE(wants_page(request)) << accepted;
  }
  request.headers = {{"Accept", "text/html,application/xml;q=0.9,*/*;q=0.8"}};
  EXPECT_TRUE(wants_page(request));
  const net::HttpReply reply = page_reply(request, files_);
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.body, "<html>");
  request.method = "POST";
  EXPECT_FALSE(wants_page(request));
}

TEST_F(PageReply, CompressesOnlyForClientsThatAcceptIt) {
  const auto path = "/assets/main-AB12.js";
  for (const char* accepted : {"gzip", "br, gzip;q=0.5", "*", "deflate,gzip"}) {
    const net::HttpReply reply = get(path, {{"Accept-Encoding", accepted}});
    EXPECT_EQ(reply.headers.at("Content-Encoding"), "gzip") << accepted;
    EXPECT_EQ(reply.body, script_) << accepted;
  }
  for (const char* refused : {"", "br", "gzip;q=0", "identity"}) {
    const net::HttpReply reply = get(path, {{"Accept-Encoding", refused}});
    EXPECT_FALSE(reply.headers.contains("Content-Encoding")) << refused;
    EXPECT_EQ(reply.body, std::string(100'000, 'x')) << refused;
  }
}

TEST_F(PageReply, FilesWithHashedNamesNeverExpire) {
  const net::HttpReply reply = get("/assets/main-AB12.js");
  EXPECT_EQ(reply.headers.at("Cache-Control"),
            "public, max-age=31536000, immutable");
  EXPECT_EQ(reply.headers.at("Content-Type"), "text/javascript; charset=utf-8");
}

TEST_F(PageReply, KnownTagGetsNotModifiedWithoutBody) {
  const net::HttpReply reply = get("/", {{"If-None-Match", "\"x\", W/\"i1\""}});
  EXPECT_EQ(reply.status, 304);
  EXPECT_TRUE(reply.body.empty());
  EXPECT_EQ(get("/", {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(PageReply, EveryReplyHasStrictSecurityHeaders) {
  for (const char* path : {"/", "/assets/main-AB12.js", "/assets/missing.js"}) {
    const net::HttpReply reply = get(path);
    const std::string& policy = reply.headers.at("Content-Security-Policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_NE(policy.find("require-trusted-types-for 'script'"),
              std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(reply.headers.at("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(reply.headers.at("X-Frame-Options"), "DENY");
  }
}

TEST_F(PageReply, FileOfAnOldVersionIsNotFound) {
  EXPECT_EQ(get("/assets/main-OLD0.js").status, 404);
}

TEST_F(PageReply, OnlyReadsAreAllowed) {
  net::HttpRequest request;
  request.method = "POST";
  request.path = "/";
  const net::HttpReply reply = page_reply(request, files_);
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.headers.at("Allow"), "GET, HEAD");
}

TEST_F(PageReply, ProgramWithoutThePageSaysSo) {
  net::HttpRequest request;
  request.method = "GET";
  request.path = "/";
  const net::HttpReply reply = page_reply(request, {});
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find("built without the page"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::server
