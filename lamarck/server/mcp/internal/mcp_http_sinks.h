// Replies over HTTP: one JSON object, or an event stream if other messages
// precede the reply.

#pragma once

#include <memory>

#include "lamarck/net/http_server.h"
#include "lamarck/server/mcp/internal/mcp_http_sessions.h"
#include "lamarck/server/mcp/internal/mcp_reply_sink.h"

namespace lamarck::mcp {

void reply_json(net::HttpExchange& exchange, int status, std::string body);
void reply_empty(net::HttpExchange& exchange, int status);

// `keeper` must outlive the sink.
std::shared_ptr<McpReplySink> make_modern_sink(
    std::shared_ptr<net::HttpExchange> exchange, StreamKeeper& keeper);

// Its stream belongs to the session, so that a client can resume it.
std::shared_ptr<McpReplySink> make_legacy_sink(
    std::shared_ptr<net::HttpExchange> exchange,
    std::shared_ptr<McpHttpSession> session);

}  // namespace lamarck::mcp
