#include "lamarck/server/rest/rest_reply.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/log.h"

namespace lamarck::server {
namespace {

net::HttpReply json_reply(int status, const Json& json) {
  return json_text_reply(status, dump_json(json));
}

}  // namespace

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::Unsupported:
      return 400;
    case ErrorCode::Unauthenticated:
      return 401;
    case ErrorCode::PermissionDenied:
      return 403;
    case ErrorCode::NotFound:
      return 404;
    case ErrorCode::AlreadyExists:
    case ErrorCode::Conflict:
    case ErrorCode::FailedPrecondition:
      return 409;
    case ErrorCode::BudgetExceeded:
      return 429;
    case ErrorCode::Cancelled:
    case ErrorCode::Unavailable:
      return 503;
    case ErrorCode::Timeout:
      return 504;
    case ErrorCode::DataDamaged:
    case ErrorCode::IoFailed:
    case ErrorCode::Internal:
      return 500;
  }
  return 500;
}

net::HttpReply json_text_reply(int status, std::string body) {
  net::HttpReply reply;
  reply.status = status;
  reply.headers.emplace("Content-Type", "application/json");
  reply.headers.emplace("Cache-Control", "no-store");
  reply.body = std::move(body);
  return reply;
}

net::HttpReply success_reply(int status, const Json& data) {
  return json_reply(status, {{"success", true}, {"data", data}});
}

net::HttpReply error_reply(int status, const Error& error) {
  if (status == 500) {
    log_error("A request failed: " + error.message());
    const Error shown(error.code(),
                      "The server failed to answer the request; its log says "
                      "why.");
    return json_reply(status,
                      {{"success", false}, {"error", error_to_json(shown)}});
  }
  Json json = error_to_json(error);
  if (!json.contains("fields")) json["fields"] = Json::object();
  net::HttpReply reply =
      json_reply(status, {{"success", false}, {"error", std::move(json)}});
  if (status == 401) reply.headers.emplace("WWW-Authenticate", "Bearer");
  return reply;
}

net::HttpReply error_reply(const Error& error) {
  return error_reply(http_status(error.code()), error);
}

}  // namespace lamarck::server
