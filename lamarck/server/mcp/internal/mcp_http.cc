#include "lamarck/server/mcp/internal/mcp_http.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_batch.h"
#include "lamarck/server/mcp/internal/mcp_http_sinks.h"
#include "lamarck/server/mcp/internal/mcp_id_scan.h"
#include "lamarck/server/mcp/internal/mcp_methods.h"

namespace lamarck::mcp {
namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

void refuse(net::HttpExchange& exchange, int status, std::string_view id,
            const Failure& failure) {
  reply_json(exchange, status, error_message(id, failure));
}

void refuse(net::HttpExchange& exchange, int status, std::string message) {
  refuse(exchange, status, "", {kInvalidRequest, std::move(message), ""});
}

void refuse_verb(net::HttpExchange& exchange, std::string_view method) {
  net::HttpReply reply;
  reply.status = 405;
  reply.headers.emplace("Allow", "POST");
  reply.headers.emplace("Content-Type", "application/json");
  reply.body = error_message("", {kInvalidRequest,
                                  "The HTTP method " + in_quotes(method) +
                                      " needs a session; send POST.",
                                  ""});
  exchange.reply(std::move(reply));
}

bool is_json_type(std::string_view type) {
  constexpr std::string_view kJson = "application/json";
  if (type.size() < kJson.size()) return false;
  for (std::size_t i = 0; i < kJson.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(type[i])) != kJson[i]) {
      return false;
    }
  }
  return type.size() == kJson.size() || type[kJson.size()] == ';' ||
         type[kJson.size()] == ' ';
}

bool accepts(std::string_view header, std::string_view type) {
  return header.empty() || header.find(type) != std::string_view::npos ||
         header.find("*/*") != std::string_view::npos;
}

}  // namespace

McpHttp::McpHttp(McpCore& core, StreamKeeper& keeper)
    : core_(core), keeper_(keeper), sessions_(core, keeper) {}

void McpHttp::let_finish(std::chrono::milliseconds grace) {
  is_ending_ = true;
  sessions_.wait_idle(grace);
}

void McpHttp::stop() { sessions_.close_all("The server is stopping."); }

void McpHttp::serve(const net::HttpRequest& request, const Exchange& exchange) {
  if (is_ending_ || core_.cancel().is_cancelled()) {
    return refuse(*exchange, 503, "The server is stopping.");
  }
  if (request.method == "POST") return post(request, exchange);
  if (request.method == "GET") return open_stream(request, exchange);
  if (request.method == "DELETE") return close_session(request, exchange);
  refuse_verb(*exchange, request.method);
}

void McpHttp::post(const net::HttpRequest& request, const Exchange& exchange) {
  if (!is_json_type(request.header("Content-Type"))) {
    return refuse(*exchange, 415, "The Content-Type must be application/json.");
  }
  const std::string_view accept = request.header("Accept");
  if (!accepts(accept, "application/json") &&
      !accepts(accept, "text/event-stream")) {
    return refuse(*exchange, 406,
                  "The Accept header must allow application/json or "
                  "text/event-stream.");
  }
  if (request.body.size() > core_.options().max_message_bytes) {
    return refuse(*exchange, 413,
                  "A message must have at most " +
                      std::to_string(core_.options().max_message_bytes) +
                      " bytes.");
  }
  auto json = parse_json(request.body, {core_.options().max_message_bytes,
                                        core_.options().max_depth});
  if (!json.has_value()) {
    return refuse(*exchange, 400, scan_request_id(request.body),
                  {kParseError, json.error().message(), ""});
  }
  if (json->is_array()) {
    return post_batch(request, *std::move(json), exchange);
  }
  auto read = read_message(*std::move(json));
  if (const auto* refusal = std::get_if<McpRefusal>(&read)) {
    return refuse(*exchange, 400, refusal->id, refusal->failure);
  }
  auto& message = std::get<McpMessage>(read);
  switch (classify_post(message, request.header(kVersionHeader))) {
    case McpRoute::Modern:
    case McpRoute::Unclaimed:
      return post_modern(request, std::move(message), exchange);
    case McpRoute::Initialize:
      return post_initialize(request, message, exchange);
    case McpRoute::Session:
      return post_session(request, std::move(message), exchange);
  }
}

void McpHttp::post_modern(const net::HttpRequest& request, McpMessage message,
                          const Exchange& exchange) {
  if (message.kind == McpMessage::Kind::Notification) {
    return reply_empty(*exchange, 202);
  }
  const auto call =
      core_.accept_modern(std::move(message), &request.headers,
                          make_modern_sink(exchange, keeper_), nullptr);
  if (call->is_over()) return;
  // A modern call is cancelled when its connection closes.
  exchange->on_closed([weak = std::weak_ptr<McpCall>(call)] {
    if (const auto under_way = weak.lock()) {
      under_way->cancel_quietly("The client went away.");
    }
  });
}

void McpHttp::post_initialize(const net::HttpRequest& request,
                              const McpMessage& message,
                              const Exchange& exchange) {
  if (message.kind == McpMessage::Kind::Notification) {
    return refuse(*exchange, 400, "initialize is a request and needs an id.");
  }
  const auto session = sessions_.open(make_peer(request));
  net::HttpReply reply;
  reply.body = core_.accept_initialize(message, session->session());
  reply.headers.emplace("Content-Type", "application/json");
  // accept_initialize() failed, so nobody will use the session.
  if (session->session()->version().empty()) {
    sessions_.close(session->session()->id(), "initialize failed.");
  } else {
    reply.headers.emplace(kSessionHeader, session->session()->id());
  }
  exchange->reply(std::move(reply));
}

std::shared_ptr<McpHttpSession> McpHttp::find_session(
    const net::HttpRequest& request, const Exchange& exchange,
    std::string_view message_id, int status_without_id) {
  const std::string_view version = request.header(kVersionHeader);
  if (!version.empty() && !is_legacy_version(version)) {
    // Modern clients may only POST, so GET and DELETE are wrong methods rather
    // than wrong versions.
    const bool is_verb_wrong =
        version == kModernVersion && request.method != "POST";
    refuse(*exchange, is_verb_wrong ? 405 : 400, message_id,
           {kInvalidRequest,
            "The header MCP-Protocol-Version is " + in_quotes(version) +
                ", which is not a version of a session.",
            ""});
    return nullptr;
  }
  const std::string_view id = request.header(kSessionHeader);
  if (id.empty()) {
    if (status_without_id == 405) {
      refuse_verb(*exchange, request.method);
    } else {
      refuse(
          *exchange, status_without_id, message_id,
          {kInvalidRequest,
           "The header Mcp-Session-Id is missing; send initialize first.", ""});
    }
    return nullptr;
  }
  auto session = sessions_.find(id);
  if (session == nullptr) {
    refuse(
        *exchange, 404, message_id,
        {kInvalidRequest, "The session has ended; send initialize again.", ""});
  }
  return session;
}

void McpHttp::post_session(const net::HttpRequest& request, McpMessage message,
                           const Exchange& exchange) {
  const auto session = find_session(request, exchange, message.id, 400);
  if (session == nullptr) return;
  if (message.kind == McpMessage::Kind::Request) {
    core_.accept_legacy(std::move(message), make_legacy_sink(exchange, session),
                        session->session());
    return;
  }
  core_.accept_quietly(message, *session->session());
  reply_empty(*exchange, 202);
}

void McpHttp::post_batch(const net::HttpRequest& request, Json batch,
                         const Exchange& exchange) {
  const std::string_view id = request.header(kSessionHeader);
  const auto session = id.empty() ? nullptr : sessions_.find(id);
  if (session == nullptr) {
    return refuse(*exchange, 400,
                  "A batch needs a session; send initialize first.");
  }
  accept_batch(core_, std::move(batch), make_legacy_sink(exchange, session),
               session->session());
}

void McpHttp::open_stream(const net::HttpRequest& request,
                          const Exchange& exchange) {
  const auto session = find_session(request, exchange, "", 405);
  if (session == nullptr) return;
  if (!accepts(request.header("Accept"), "text/event-stream")) {
    return refuse(*exchange, 406, "The client must accept text/event-stream.");
  }
  // An unknown id is ignored: the client then gets the stream of the session.
  const auto last = EventId::parse(request.header("Last-Event-ID"));
  const auto left =
      last.has_value() ? session->find_stream(last->stream) : nullptr;
  const bool is_primed = session->is_resumable();
  // From now on the session can receive notifications.
  core_.hub().add_session(session->session());
  if (left != nullptr) return left->attach(exchange, last->number, is_primed);
  session->own_stream()->attach(exchange, std::nullopt, is_primed);
}

void McpHttp::close_session(const net::HttpRequest& request,
                            const Exchange& exchange) {
  const auto session = find_session(request, exchange, "", 405);
  if (session == nullptr) return;
  sessions_.close(session->session()->id(), "The client ended the session.");
  reply_empty(*exchange, 200);
}

}  // namespace lamarck::mcp
