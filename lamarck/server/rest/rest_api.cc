#include "lamarck/server/rest/rest_api.h"

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/schema/json_schema.h"
#include "lamarck/schema/lenient_arguments.h"
#include "lamarck/server/mcp/internal/mcp_workers.h"
#include "lamarck/server/rest/openapi.h"
#include "lamarck/server/rest/query_string.h"
#include "lamarck/server/rest/reply_cache.h"
#include "lamarck/server/rest/rest_reply.h"
#include "lamarck/server/rest/route_table.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kOpenApiPath = "/openapi.json";
constexpr std::size_t kMaxPathPart = 200;
constexpr std::size_t kMaxJsonBody = std::size_t{4} << 20;
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 30;
constexpr std::size_t kMaxCachedBytes = std::size_t{64} << 20;

using PathValues = std::map<std::string, std::string, std::less<>>;

struct CompiledRoute {
  const Route* route = nullptr;
  std::vector<std::string_view> parts;  // "agents", "{id}".
  Json query_schema;
  std::optional<schema::JsonSchema> query;
  std::optional<schema::JsonSchema> request;
  std::optional<schema::JsonSchema> response;
};

bool is_variable(std::string_view part) { return part.starts_with('{'); }

// The values of the variables if the path matches.
std::optional<PathValues> match_path(
    const std::vector<std::string_view>& pattern,
    const std::vector<std::string_view>& parts) {
  if (pattern.size() != parts.size()) return std::nullopt;
  PathValues values;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_variable(pattern[i])) {
      if (pattern[i] != parts[i]) return std::nullopt;
      continue;
    }
    if (parts[i].empty() || parts[i].size() > kMaxPathPart) return std::nullopt;
    values.emplace(pattern[i].substr(1, pattern[i].size() - 2), parts[i]);
  }
  return values;
}

Result<std::optional<schema::JsonSchema>> compiled_schema(
    std::string_view text) {
  if (text.empty()) return std::optional<schema::JsonSchema>();
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ASSIGN_OR_RETURN(schema::JsonSchema compiled,
                   schema::JsonSchema::compile(self_contained_schema(json),
                                               {.max_violations = 1}));
  return std::optional(std::move(compiled));
}

// "/limit" -> "limit", "/a/b" -> "a.b".
std::string field_name(std::string_view pointer) {
  std::string name(pointer.substr(pointer.empty() ? 0 : 1));
  for (char& c : name) {
    if (c == '/') c = '.';
  }
  return name;
}

Result<void> check_value(const schema::JsonSchema& schema, const Json& value,
                         std::string_view what) {
  ASSIGN_OR_RETURN(const auto violations, schema.validate(value));
  if (violations.empty()) return {};
  const schema::Violation& first = violations.front();
  const std::string field = field_name(first.instance_path);
  Error::Fields fields;
  if (!field.empty()) fields.emplace(field, first.message);
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{}{}{}: {}", what, field.empty() ? "" : ".", field,
                           first.message),
               std::move(fields));
}

bool is_json_media_type(std::string_view type) {
  return type == "application/json" || type.starts_with("application/json;");
}

Error unknown_path(std::string_view path) {
  return {ErrorCode::NotFound, "Nothing is served at " + in_quotes(path) +
                                   "; see /api/v1/openapi.json."};
}

class TableApi final : public RestApi {
 public:
  TableApi(SkillService& service, TokenAccess& access, FindRuns find_runs,
           const RestApiOptions& options)
      : service_(service),
        access_(access),
        find_runs_(std::move(find_runs)),
        options_(options),
        document_(dump_json(openapi_document())),
        workers_(options.workers) {}
  ~TableApi() override { stop_.cancel("The server is stopping."); }

  Result<void> compile() {
    for (const Route& route : routes()) {
      CompiledRoute compiled;
      compiled.route = &route;
      compiled.parts = split_text(route.path, '/');
      if (!route.query.empty()) {
        ASSIGN_OR_RETURN(compiled.query_schema, parse_json(route.query));
      }
      ASSIGN_OR_RETURN(compiled.query, compiled_schema(route.query));
      ASSIGN_OR_RETURN(compiled.request, compiled_schema(route.request));
      ASSIGN_OR_RETURN(compiled.response, compiled_schema(route.response));
      compiled_.push_back(std::move(compiled));
    }
    return {};
  }

  void serve(net::HttpRequest request,
             std::shared_ptr<net::HttpExchange> exchange) override {
    // This thread must not block; what is known is sent at once.
    if (const auto caller = access_.known(request.header("Authorization"))) {
      if (const auto sent = find_cached(request, *caller)) {
        service_.metrics().count_request(request.method, sent->route, 200);
        exchange->reply(json_text_reply(200, sent->body));
        return;
      }
    }
    const auto shared = std::make_shared<net::HttpRequest>(std::move(request));
    const bool is_queued = workers_.post([this, shared, exchange] {
      if (auto result = reply_or_stream(*shared, exchange)) {
        exchange->reply(*std::move(result));
      }
    });
    if (!is_queued) {
      exchange->reply(error_reply(
          Error(ErrorCode::Unavailable, "The server is busy; retry later.")));
    }
  }

  net::HttpReply reply(const net::HttpRequest& request) override {
    return *reply_or_stream(request, nullptr);
  }

  void stop() override { stop_.cancel("The server is stopping."); }

 private:
  static std::string cache_key(const net::HttpRequest& request,
                               const Principal& caller) {
    std::string key = caller.org;
    key.append("\n").append(request.path).append("?").append(request.query);
    return key;
  }

  // A reply of a route with `is_cached`, which every member may call; null =
  // none.
  std::shared_ptr<const CachedReply> find_cached(
      const net::HttpRequest& request, const Principal& caller) {
    if (request.method != "GET" || !request.body.empty()) return nullptr;
    const auto number = service_.store().change_number();
    if (!number) return nullptr;
    return cache_.find(cache_key(request, caller), *number);
  }

  using Exchange = std::shared_ptr<net::HttpExchange>;

  // Nothing if the exchange was taken for a stream.
  std::optional<net::HttpReply> reply_or_stream(const net::HttpRequest& request,
                                                const Exchange& exchange) {
    std::string_view route;
    std::optional<net::HttpReply> result =
        guarded_reply(request, exchange, route);
    service_.metrics().count_request(request.method, route,
                                     result ? result->status : 200);
    return result;
  }

  std::optional<net::HttpReply> guarded_reply(const net::HttpRequest& request,
                                              const Exchange& exchange,
                                              std::string_view& route) {
    try {
      return find_and_answer(request, exchange, route);
    } catch (const std::exception& failure) {
      return error_reply(Error(ErrorCode::Internal, failure.what()));
    }
  }

  std::optional<net::HttpReply> find_and_answer(const net::HttpRequest& request,
                                                const Exchange& exchange,
                                                std::string_view& matched) {
    const std::string_view path =
        std::string_view(request.path).substr(kApiPrefix.size());
    if (path == kOpenApiPath && request.method == "GET") {
      matched = kOpenApiPath;
      net::HttpReply reply;
      reply.headers.emplace("Content-Type", "application/json");
      reply.body = document_;
      return reply;
    }
    const auto caller = access_.identify(request.header("Authorization"));
    if (!caller) return error_reply(caller.error());
    if (const auto sent = find_cached(request, *caller)) {
      matched = sent->route;
      return json_text_reply(200, sent->body);
    }
    const std::vector<std::string_view> parts = split_text(path, '/');
    std::string allowed;
    const CompiledRoute* best = nullptr;
    PathValues values;
    for (const CompiledRoute& each : compiled_) {
      auto found = match_path(each.parts, parts);
      if (!found) continue;
      if (each.route->method != request.method) {
        allowed +=
            (allowed.empty() ? "" : ", ") + std::string(each.route->method);
      } else if (best == nullptr || found->size() < values.size()) {
        best = &each;  // The one with fewer variables is more specific.
        values = std::move(*found);
      }
    }
    if (best == nullptr) return refuse_path(request, allowed);
    matched = best->route->path;
    std::optional<std::int64_t> number;
    if (best->route->is_cached && best->route->role == Role::Member) {
      if (const auto read = service_.store().change_number()) number = *read;
    }
    bool is_stream = false;
    const Result<Json> data =
        answer(*best, request, *caller, values, exchange, is_stream);
    if (!data) return refuse(data.error());
    if (is_stream) return std::nullopt;
    if (best->route->replies_file) return file_reply(*data);
    net::HttpReply reply = success_reply(best->route->status, *data);
    if (number) {
      cache_.insert(cache_key(request, *caller), *number,
                    {.route = best->route->path, .body = reply.body});
    }
    return reply;
  }

  static net::HttpReply refuse_path(const net::HttpRequest& request,
                                    const std::string& allowed) {
    if (allowed.empty()) return error_reply(unknown_path(request.path));
    net::HttpReply reply = error_reply(
        405, Error(ErrorCode::Unsupported,
                   fmt::format("{} does not take {}; use {}.",
                               in_quotes(request.path),
                               one_line(request.method, 20), allowed)));
    reply.headers.emplace("Allow", allowed);
    return reply;
  }

  static Result<void> check_media_type(std::string_view wanted,
                                       const net::HttpRequest& request) {
    const std::string_view type = request.header("Content-Type");
    if (type == wanted || type.starts_with(std::string(wanted) + ";")) {
      return {};
    }
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The Content-Type must be {}, got {}.", wanted,
                             in_quotes(type)),
                 {{"content_type", std::string(type)}});
  }

  static net::HttpReply file_reply(const Json& file) {
    Result<std::string> bytes =
        read_file(file.at("path").get<std::string>(), kMaxFile);
    if (!bytes) return error_reply(bytes.error());
    net::HttpReply reply;
    reply.headers.emplace("Content-Type", file.at("type").get<std::string>());
    reply.headers.emplace(
        "Content-Disposition",
        "attachment; filename=\"" + file.at("name").get<std::string>() + "\"");
    reply.headers.emplace("X-Content-Type-Options", "nosniff");
    // A report must not run scripts with the rights of the page.
    reply.headers.emplace("Content-Security-Policy", "sandbox");
    reply.body = *std::move(bytes);
    return reply;
  }

  static net::HttpReply refuse(const Error& error) {
    if (error.fields().contains("content_length")) {
      return error_reply(413, error);
    }
    const bool is_type = error.fields().contains("content_type");
    return is_type ? error_reply(415, error) : error_reply(error);
  }

  Result<Json> answer(const CompiledRoute& compiled,
                      const net::HttpRequest& request, const Principal& caller,
                      const PathValues& values, const Exchange& exchange,
                      bool& is_stream) {
    const Route& route = *compiled.route;
    if (!caller.may(route.role)) {
      return Error(
          ErrorCode::PermissionDenied,
          fmt::format("This needs the role {}; the token has the role {}.",
                      role_name(route.role), role_name(caller.role)));
    }
    ASSIGN_OR_RETURN(const Json query, read_query(compiled, request));
    ASSIGN_OR_RETURN(const Json body, read_body(compiled, request));
    const CancelToken cancel = stop_.token();
    const RouteCall call{
        .service = service_,
        .caller = caller,
        .path = values,
        .query = query,
        .body = body,
        .cancel = cancel,
        .find_runs = find_runs_,
        .find_agents = options_.find_agents,
        .organizations = options_.organizations,
        .text = request.body,
        .last_event_id = std::string(request.header("Last-Event-ID"))};
    ASSIGN_OR_RETURN(Json data, route.handle(call));
    if (route.stream != nullptr && exchange != nullptr) {
      route.stream(call, exchange);
      is_stream = true;
    }
    if (options_.checks_replies) {
      const Result<void> valid = compiled.response->check(
          data, "The reply of " + std::string(route.operation));
      if (!valid) return Error(ErrorCode::Internal, valid.error().message());
    }
    return data;
  }

  static Result<Json> read_query(const CompiledRoute& compiled,
                                 const net::HttpRequest& request) {
    ASSIGN_OR_RETURN(Json query, parse_query_string(request.query));
    if (!compiled.query) {
      if (query.empty()) return query;
      return invalid_argument("Unknown query parameter " +
                              in_quotes(query.begin().key()) +
                              "; this path takes none.");
    }
    query = schema::lenient_arguments(query, compiled.query_schema);
    RETURN_IF_ERROR(check_value(*compiled.query, query, "query"));
    return query;
  }

  Result<Json> read_body(const CompiledRoute& compiled,
                         const net::HttpRequest& request) const {
    if (!compiled.route->request_type.empty()) {
      RETURN_IF_ERROR(check_media_type(compiled.route->request_type, request));
      return Json();
    }
    if (request.body.size() > kMaxJsonBody) {
      return Error(
          ErrorCode::InvalidArgument,
          fmt::format("The body must have at most {} bytes.", kMaxJsonBody),
          {{"content_length", std::to_string(request.body.size())}});
    }
    if (!compiled.request) {
      if (request.body.empty()) return Json();
      return invalid_argument("This request takes no body; leave it out.");
    }
    const std::string_view type = request.header("Content-Type");
    if (!is_json_media_type(type)) {
      return Error(ErrorCode::InvalidArgument,
                   "The body must be JSON with Content-Type application/json, "
                   "got " +
                       in_quotes(type) + ".",
                   {{"content_type", std::string(type)}});
    }
    Result<Json> body = parse_json(request.body, {.depth = options_.max_depth});
    if (!body) return body.error().within("The body is not valid JSON");
    RETURN_IF_ERROR(check_value(*compiled.request, *body, "body"));
    return body;
  }

  SkillService& service_;
  TokenAccess& access_;
  const FindRuns find_runs_;
  const RestApiOptions options_;
  const std::string document_;
  std::vector<CompiledRoute> compiled_;
  ReplyCache cache_{kMaxCachedBytes};
  CancelSource stop_;
  mcp::McpWorkers workers_;  // Last, so that it ends first.
};

}  // namespace

Result<std::unique_ptr<RestApi>> RestApi::create(
    SkillService& service, TokenAccess& access, FindRuns find_runs,
    const RestApiOptions& options) {
  auto api = std::make_unique<TableApi>(service, access, std::move(find_runs),
                                        options);
  RETURN_IF_ERROR(api->compile());
  return std::unique_ptr<RestApi>(std::move(api));
}

bool is_api_path(std::string_view path) {
  return path == kApiPrefix ||
         (path.starts_with(kApiPrefix) && path[kApiPrefix.size()] == '/');
}

bool is_upload_path(std::string_view path) {
  return is_api_path(path) && path.substr(kApiPrefix.size()) == "/uploads";
}

bool is_public_api_path(std::string_view path) {
  return is_api_path(path) && path.substr(kApiPrefix.size()) == kOpenApiPath;
}

}  // namespace lamarck::server
