// The envelope of replies: {"success": true, "data": ...} or {"success": false,
// "error": {"code", "message", "fields"}}.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/net/http_server.h"

namespace lamarck::server {

// The status of a reply with this error.
int http_status(ErrorCode code);

// A reply whose body is JSON already.
net::HttpReply json_text_reply(int status, std::string body);
net::HttpReply success_reply(int status, const Json& data);
// Faults of the server are logged; the client sees only that there was one,
// because their messages name files.
net::HttpReply error_reply(const Error& error);
// The same with another status, such as 405.
net::HttpReply error_reply(int status, const Error& error);

}  // namespace lamarck::server
