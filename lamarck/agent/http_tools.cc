#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/base/ascii.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/net/private_address.h"

namespace lamarck::agent {
namespace {

using skills::Capability;

constexpr int kMaxRedirects = 5;
constexpr std::size_t kMaxBody = std::size_t{1} << 20;

using Url = std::unique_ptr<CURLU, void (*)(CURLU*)>;

std::string url_part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

// Fails unless the URL is http or https, without a password, and its host is
// allowed.
Result<void> check_url(CURLU* url, const HttpToolOptions& options) {
  const std::string scheme = url_part(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return invalid_argument("The URL must begin with http:// or https://.");
  }
  if (!url_part(url, CURLUPART_USER).empty() ||
      !url_part(url, CURLUPART_PASSWORD).empty()) {
    return invalid_argument("The URL must not contain a user or password.");
  }
  const std::string host = url_part(url, CURLUPART_HOST);
  const std::string port = url_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (is_allowed_host(options.allowed_hosts, host, port)) return {};
  return Error(ErrorCode::PermissionDenied,
               "The host " + in_quotes(host + ":" + port) +
                   " is not allowed; add it with --allow-host.");
}

struct Transfer {
  CancelToken cancel;
  bool allows_private = false;
  bool met_private = false;
  std::size_t max_bytes = 0;
  bool is_too_large = false;
  std::string body;
};

std::size_t on_reply(char* data, std::size_t /*one*/, std::size_t size,
                     void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.body.size() + size > transfer.max_bytes) {
    transfer.is_too_large = true;
    return 0;
  }
  transfer.body.append(data, size);
  return size;
}

int on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(context)->cancel.is_cancelled() ? 1 : 0;
}

// The address is checked where it is used, so a name that resolves to another
// address the second time does not help an attacker.
curl_socket_t on_socket(void* context, curlsocktype /*purpose*/,
                        curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (!transfer.allows_private && net::is_private_address(address->addr)) {
    transfer.met_private = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype, address->protocol);
}

Error transfer_error(const Transfer& transfer, CURLcode code,
                     const std::string& host) {
  if (transfer.cancel.is_cancelled()) {
    return {ErrorCode::Cancelled, transfer.cancel.reason()};
  }
  if (transfer.met_private) {
    return {ErrorCode::PermissionDenied,
            in_quotes(host) +
                " is on this machine or an internal network; allow that with "
                "--allow-private."};
  }
  if (transfer.is_too_large) {
    return {ErrorCode::BudgetExceeded,
            fmt::format("The reply must have at most {} bytes.",
                        transfer.max_bytes)};
  }
  const ErrorCode kind = code == CURLE_OPERATION_TIMEDOUT
                             ? ErrorCode::Timeout
                             : ErrorCode::Unavailable;
  return {kind, fmt::format("{} cannot be reached: {}.", in_quotes(host),
                            curl_easy_strerror(code))};
}

struct HttpCall {
  bool is_post = false;
  std::string url;
  std::string body;
  std::string content_type;
};

struct HttpAnswer {
  long status = 0;
  std::string content_type;
  std::string location;  // Absolute; "" = not a redirect.
  std::string body;
};

void set_call(CURL* easy, const HttpCall& call, curl_slist* headers,
              Transfer& transfer, const ToolContext& context) {
  curl_easy_setopt(easy, CURLOPT_URL, call.url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  if (call.is_post) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(call.body.size()));
  }
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_reply);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &on_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  // A proxy would connect for us, and no address could be checked.
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(context.limits.time.count()));
}

Result<HttpAnswer> transfer_once(const HttpCall& call,
                                 const HttpToolOptions& options,
                                 const ToolContext& context) {
  const Url url(curl_url(), curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, call.url.c_str(), 0) !=
      CURLUE_OK) {
    return invalid_argument("The URL is not valid: " + in_quotes(call.url) +
                            ".");
  }
  RETURN_IF_ERROR(check_url(url.get(), options));
  const std::unique_ptr<CURL, void (*)(CURL*)> easy(curl_easy_init(),
                                                    curl_easy_cleanup);
  if (!easy) throw std::bad_alloc();
  const std::string type = "Content-Type: " + call.content_type;
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      call.is_post ? curl_slist_append(nullptr, type.c_str()) : nullptr,
      curl_slist_free_all);
  Transfer transfer{.cancel = context.cancel,
                    .allows_private = options.allows_private_addresses,
                    .max_bytes = kMaxBody};
  set_call(easy.get(), call, headers.get(), transfer, context);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code != CURLE_OK) {
    return transfer_error(transfer, code, url_part(url.get(), CURLUPART_HOST));
  }
  HttpAnswer answer;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  const char* text = nullptr;
  curl_easy_getinfo(easy.get(), CURLINFO_CONTENT_TYPE, &text);
  if (text != nullptr) answer.content_type = text;
  const char* location = nullptr;
  curl_easy_getinfo(easy.get(), CURLINFO_REDIRECT_URL, &location);
  if (location != nullptr) answer.location = location;
  answer.body = std::move(transfer.body);
  return answer;
}

Result<Json> shown_answer(const HttpAnswer& answer) {
  if (answer.status < 200 || answer.status > 299) {
    return Error(ErrorCode::Unavailable,
                 fmt::format("The server replied with status {}: {}",
                             answer.status, one_line(answer.body)),
                 {{"status", std::to_string(answer.status)}});
  }
  Json shown = {{"status", answer.status},
                {"content_type", answer.content_type}};
  const bool is_json = answer.content_type.find("json") != std::string::npos;
  if (const auto json = parse_json(answer.body, {.depth = 64});
      is_json && json) {
    shown["json"] = *json;
  } else {
    shown["text"] = make_valid_utf8(answer.body);
  }
  return shown;
}

Result<Json> call_http(HttpCall call, const HttpToolOptions& options,
                       const ToolContext& context) {
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    ASSIGN_OR_RETURN(const HttpAnswer answer,
                     transfer_once(call, options, context));
    if (answer.location.empty()) return shown_answer(answer);
    // As browsers do: only 307 and 308 repeat the method and the body.
    if (answer.status != 307 && answer.status != 308) call.is_post = false;
    call.url = answer.location;
  }
  return Error(
      ErrorCode::Unavailable,
      fmt::format("The server redirected more than {} times.", kMaxRedirects));
}

Json url_schema() {
  return {{"type", "string"},
          {"minLength", 1},
          {"maxLength", 4096},
          {"description", "An http or https URL of an allowed host."}};
}

}  // namespace

bool is_allowed_host(const std::set<std::string, std::less<>>& allowed,
                     std::string_view host, std::string_view port) {
  std::string name;
  for (const char c : host) name += ascii::lower(c);
  if (name.ends_with('.')) name.pop_back();
  const auto matches = [&](const std::string& one) {
    return allowed.contains(one) ||
           allowed.contains(one + ":" + std::string(port));
  };
  if (matches(name)) return true;
  for (auto dot = name.find('.'); dot != std::string::npos;
       dot = name.find('.', dot + 1)) {
    if (matches("*" + name.substr(dot))) return true;
  }
  return false;
}

Result<void> add_http_tools(ToolRegistry& registry,
                            const HttpToolOptions& options) {
  static const CURLcode kStatus = curl_global_init(CURL_GLOBAL_DEFAULT);
  ENSURE(kStatus == CURLE_OK, "libcurl initializes");
  const ToolLimits limits{.output_bytes = kMaxBody * 2};
  RETURN_IF_ERROR(registry.add(
      {.info = {.name = "http_get",
                .description = "Gets a URL of an allowed host.",
                .input_schema = {{"type", "object"},
                                 {"properties", {{"url", url_schema()}}},
                                 {"required", {"url"}},
                                 {"additionalProperties", false}},
                .capabilities = {Capability::Reads, Capability::Network},
                .is_idempotent = true},
       .limits = limits,
       .run = [options](const Json& arguments, const ToolContext& context) {
         return call_http({.url = arguments["url"].get<std::string>()}, options,
                          context);
       }}));
  return registry.add(
      {.info = {.name = "http_post",
                .description =
                    "Posts a body to a URL of an allowed host. A body that is "
                    "not a string is sent as JSON.",
                .input_schema = {{"type", "object"},
                                 {"properties",
                                  {{"url", url_schema()},
                                   {"body",
                                    {{"description", "Text, or JSON."}}}}},
                                 {"required", {"url", "body"}},
                                 {"additionalProperties", false}},
                .capabilities = {Capability::Network, Capability::Sends}},
       .limits = limits,
       .run = [options](const Json& arguments, const ToolContext& context) {
         const Json& body = arguments["body"];
         const bool is_text = body.is_string();
         return call_http(
             {.is_post = true,
              .url = arguments["url"].get<std::string>(),
              .body = is_text ? body.get<std::string>() : dump_json(body),
              .content_type = is_text ? "text/plain" : "application/json"},
             options, context);
       }});
}

}  // namespace lamarck::agent
