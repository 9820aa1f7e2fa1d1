#include <gtest/gtest.h>

#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {
namespace {

int status_of(const net::HttpServer::Gate& gate, net::HttpHeaders headers) {
  net::HttpRequest request;
  request.headers = std::move(headers);
  const auto reply = gate(request);
  return reply.has_value() ? reply->status : 0;
}

TEST(HttpGate, AcceptsLocalAndConfiguredHosts) {
  const auto gate = http_gate({"Lab.example"}, "");
  for (const char* host : {"localhost", "127.0.0.1:8080", "[::1]:80", "[::1]",
                           "LOCALHOST:1", "lab.example:443"}) {
    EXPECT_EQ(status_of(gate, {{"Host", host}}), 0) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example",
                           "127.0.0.1.evil", "::1", "evil.example:localhost"}) {
    EXPECT_EQ(status_of(gate, {{"Host", host}}), 403) << host;
  }
}

TEST(HttpGate, ChecksOriginIfPresent) {
  const auto gate = http_gate({}, "");
  const auto status = [&](const char* origin) {
    return status_of(gate, {{"Host", "localhost"}, {"Origin", origin}});
  };
  EXPECT_EQ(status("http://localhost:3000"), 0);
  EXPECT_EQ(status("https://127.0.0.1"), 0);
  EXPECT_EQ(status("http://evil.example"), 403);
  EXPECT_EQ(status("null"), 403);
  EXPECT_EQ(status("http://localhost.evil.example"), 403);
  EXPECT_EQ(status("http://localhost@evil.example"), 403);
  EXPECT_EQ(status("http://localhost:80@evil.example"), 403);
  EXPECT_EQ(status("http://localhost:80/x"), 403);
  EXPECT_EQ(status("ftp://localhost"), 403);
  EXPECT_EQ(status("chrome-extension://localhost"), 403);
}

// A proxy may add these, but so may any client.
TEST(HttpGate, ForwardingHeadersDoNotReplaceHost) {
  const auto gate = http_gate({"[2001:db8::1]"}, "");
  for (const char* name :
       {"X-Forwarded-Host", "X-Forwarded-For", "X-Host", "Forwarded"}) {
    EXPECT_EQ(status_of(gate, {{"Host", "evil.example"}, {name, "localhost"}}),
              403)
        << name;
  }
  EXPECT_EQ(status_of(gate, {{"Host", "[2001:db8::1]:8420"}}), 0);
  for (const char* host :
       {"2001:db8::1", "[2001:db8::1", "[2001:db8::2]", "[2001:db8::1]x",
        "[::1]@evil.example", "user@localhost", "localhost:80:80",
        "localhost:+1", "localhost.", "localhost, evil.example"}) {
    EXPECT_EQ(status_of(gate, {{"Host", host}}), 403) << host;
  }
}

TEST(HttpGate, EmptyNameOpensNothing) {
  const auto gate = http_gate({""}, "");
  EXPECT_EQ(status_of(gate, {{"Host", ""}}), 403);
  EXPECT_EQ(status_of(gate, {{"Host", "evil.example:x"}}), 403);
  EXPECT_EQ(status_of(gate, {{"Host", "localhost"}, {"Origin", "null"}}), 403);
}

TEST(HttpGate, RequiresConfiguredToken) {
  const auto gate = http_gate({}, "secret");
  const auto status = [&](const char* authorization) {
    return status_of(gate,
                     {{"Host", "localhost"}, {"Authorization", authorization}});
  };
  EXPECT_EQ(status("Bearer secret"), 0);
  EXPECT_EQ(status("bearer secret"), 0);
  EXPECT_EQ(status("Bearer secret2"), 401);
  EXPECT_EQ(status("Bearer "), 401);
  EXPECT_EQ(status("Bear"), 401);
  EXPECT_EQ(status("Basic secret"), 401);
  EXPECT_EQ(status_of(gate, {{"Host", "localhost"}}), 401);
}

TEST(HttpGate, OpenPathNeedsNoToken) {
  const auto gate = http_gate({}, "secret", "/health");
  const auto status = [&](const char* path, const char* host) {
    net::HttpRequest request;
    request.path = path;
    request.headers = {{"Host", host}};
    const auto reply = gate(request);
    return reply.has_value() ? reply->status : 0;
  };
  EXPECT_EQ(status("/health", "localhost"), 0);
  EXPECT_EQ(status("/health", "evil.example"), 403);
  for (const char* path : {"", "/", "/mcp", "/health/", "/healthy"}) {
    EXPECT_EQ(status(path, "localhost"), 401) << path;
  }
}

}  // namespace
}  // namespace lamarck::mcp
