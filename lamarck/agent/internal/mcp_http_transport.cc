// A server that is reached over Streamable HTTP. Each request is a POST whose
// reply is JSON or a stream of events. A stream that ends too early is resumed
// after its last event.

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/internal/mcp_event_reader.h"
#include "lamarck/agent/internal/mcp_transport.h"
#include "lamarck/base/ascii.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent::internal {
namespace {

using std::chrono::milliseconds;
using Easy = std::unique_ptr<CURL, void (*)(CURL*)>;
using Headers = std::unique_ptr<curl_slist, void (*)(curl_slist*)>;

constexpr std::size_t kMaxReplyBytes = std::size_t{16} << 20;
constexpr int kMaxResumptions = 20;
constexpr milliseconds kResumeWait{500};
constexpr milliseconds kMaxResumeWait{10'000};
constexpr milliseconds kNoticeTimeout{5'000};
constexpr milliseconds kGoodbyeTimeout{2'000};

// One transfer and what came of it.
struct McpTransfer {
  const char* method = "POST";
  std::string body;
  std::string last_event_id;  // Of a GET that resumes a stream.
  milliseconds timeout{0};
  CancelToken cancel;
  // Gets each message; returns whether more are wanted.
  std::function<bool(const Json&)> on_message;
  McpEventReader* events = nullptr;

  long status = 0;
  bool is_stream = false;
  std::string session;
  std::string text;  // The body unless it is a stream.
  bool is_too_large = false;
  bool is_satisfied = false;  // on_message returned false.
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') {
    text.remove_suffix(1);
  }
  return text;
}

std::size_t on_mcp_header(char* data, std::size_t /*one*/, std::size_t size,
                          void* context) {
  auto& transfer = *static_cast<McpTransfer*>(context);
  const std::string_view line(data, size);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  std::string name;
  for (const char c : line.substr(0, colon)) name += ascii::lower(c);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "mcp-session-id") transfer.session = value;
  if (name == "content-type") {
    transfer.is_stream = value.starts_with("text/event-stream");
  }
  return size;
}

// Passes on what a message contains: one object, or a batch of them.
bool pass_on(const std::string& text, const McpTransfer& transfer) {
  const auto json = parse_json(text, {.depth = 100});
  if (!json) return true;
  if (!json->is_array()) return transfer.on_message(*json);
  return std::ranges::all_of(
      *json, [&](const Json& one) { return transfer.on_message(one); });
}

std::size_t on_mcp_bytes(char* data, std::size_t /*one*/, std::size_t size,
                         void* context) {
  auto& transfer = *static_cast<McpTransfer*>(context);
  if (!transfer.is_stream || transfer.events == nullptr) {
    transfer.text.append(data, size);
    transfer.is_too_large = transfer.text.size() > kMaxReplyBytes;
    return transfer.is_too_large ? 0 : size;
  }
  for (const std::string& event : transfer.events->feed({data, size})) {
    if (pass_on(event, transfer)) continue;
    transfer.is_satisfied = true;
    return 0;
  }
  transfer.is_too_large = transfer.events->pending_bytes() > kMaxReplyBytes;
  return transfer.is_too_large ? 0 : size;
}

int on_mcp_progress(void* context, curl_off_t, curl_off_t, curl_off_t,
                    curl_off_t) {
  return static_cast<McpTransfer*>(context)->cancel.is_cancelled() ? 1 : 0;
}

bool is_reply_to(const Json& message, const Json& id) {
  return message.is_object() && !message.contains("method") &&
         message.contains("id") && message["id"] == id;
}

class HttpTransport final : public McpTransport {
 public:
  explicit HttpTransport(McpServerOptions options)
      : options_(std::move(options)) {}
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  // Ends the session, so that the server can forget it.
  ~HttpTransport() override {
    if (session().empty()) return;
    McpTransfer goodbye{.method = "DELETE", .timeout = kGoodbyeTimeout};
    static_cast<void>(perform(goodbye));
  }

  Result<Json> request(const Json& message,
                       const CancelToken& cancel) override {
    const bool is_first = message["method"] == "initialize";
    if (is_first) set_session("", "");
    const auto deadline = clock_.elapsed() + options_.timeout;
    const auto left = [&] {
      return std::chrono::duration_cast<milliseconds>(deadline -
                                                      clock_.elapsed());
    };
    std::optional<Json> reply;
    McpEventReader events;
    McpTransfer transfer{.body = dump_json(message)};
    transfer.cancel = cancel;
    transfer.events = &events;
    transfer.on_message = [&](const Json& one) {
      if (is_reply_to(one, message["id"])) {
        reply = one;
        return false;
      }
      answer(one);
      return true;
    };
    for (int attempt = 0;; ++attempt) {
      if (left() <= milliseconds(0)) return late_reply(options_);
      transfer.timeout = left();
      RETURN_IF_ERROR(perform(transfer));
      RETURN_IF_ERROR(check_status(transfer));
      if (is_first) set_session(transfer.session, "");
      if (!transfer.is_stream) pass_on(transfer.text, transfer);
      if (reply) return std::move(*reply);
      if (events.last_id().empty() || attempt >= kMaxResumptions) {
        return Error(ErrorCode::Unavailable,
                     "The MCP server " + in_quotes(options_.name) +
                         " ended the connection before it answered.");
      }
      const milliseconds wait = std::min(
          {events.retry().value_or(kResumeWait), kMaxResumeWait, left()});
      if (cancel.wait_for(wait)) return cancel.check().error();
      events.restart();
      transfer.method = "GET";
      transfer.body.clear();
      transfer.last_event_id = events.last_id();
      transfer.text.clear();
    }
  }

  void notify(const Json& message) override {
    McpTransfer transfer{.body = dump_json(message), .timeout = kNoticeTimeout};
    // A notice may be lost; the next request says what is wrong.
    static_cast<void>(perform(transfer));
  }

  void agree(const std::string& version) override {
    const std::lock_guard lock(mutex_);
    version_ = version;
  }

 private:
  std::string session() {
    const std::lock_guard lock(mutex_);
    return session_;
  }
  void set_session(const std::string& session, const std::string& version) {
    const std::lock_guard lock(mutex_);
    session_ = session;
    version_ = version;
  }

  // Answers a request of the server.
  void answer(const Json& message) {
    if (!message.is_object() || !message.contains("method") ||
        !message.contains("id")) {
      return;
    }
    notify(answer_to_server(message));
  }

  Headers headers(const McpTransfer& transfer) {
    std::vector<std::string> lines = {
        "Content-Type: application/json",
        std::string("Accept: ") + (transfer.last_event_id.empty()
                                       ? "application/json, text/event-stream"
                                       : "text/event-stream"),
        "Expect:"};
    if (!options_.token.empty()) {
      lines.push_back("Authorization: Bearer " + options_.token);
    }
    if (!transfer.last_event_id.empty()) {
      lines.push_back("Last-Event-ID: " + transfer.last_event_id);
    }
    {
      const std::lock_guard lock(mutex_);
      if (!session_.empty()) lines.push_back("Mcp-Session-Id: " + session_);
      if (!version_.empty()) {
        lines.push_back("MCP-Protocol-Version: " + version_);
      }
    }
    Headers list(nullptr, curl_slist_free_all);
    for (const std::string& line : lines) {
      curl_slist* longer = curl_slist_append(list.get(), line.c_str());
      if (longer == nullptr) throw std::bad_alloc();
      static_cast<void>(list.release());
      list.reset(longer);
    }
    return list;
  }

  Easy take_handle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      Easy easy(curl_easy_init(), curl_easy_cleanup);
      if (!easy) throw std::bad_alloc();
      return easy;
    }
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }

  void set_transfer(CURL* easy, curl_slist* lines, McpTransfer& transfer) {
    curl_easy_setopt(easy, CURLOPT_URL, options_.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
    const std::string_view method = transfer.method;
    if (method == "POST") {
      curl_easy_setopt(easy, CURLOPT_POST, 1L);
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer.body.data());
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(transfer.body.size()));
    } else if (method != "GET") {
      curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, transfer.method);
    }
    // A redirect would send the token to another server.
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_mcp_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_mcp_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_mcp_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(transfer.timeout.count()));
  }

  // Fails if no whole reply came, except of a stream, which can be resumed.
  Result<void> perform(McpTransfer& transfer) {
    Easy easy = take_handle();
    const Headers lines = headers(transfer);
    transfer.is_stream = false;
    transfer.status = 0;
    set_transfer(easy.get(), lines.get(), transfer);
    const CURLcode code = curl_easy_perform(easy.get());
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &transfer.status);
    curl_easy_reset(easy.get());  // Keeps the connection.
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(easy));
    }
    if (code == CURLE_OK || transfer.is_satisfied) return {};
    RETURN_IF_ERROR(transfer.cancel.check());
    if (transfer.is_too_large) {
      return Error(ErrorCode::BudgetExceeded,
                   fmt::format("The reply of the MCP server {} must have at "
                               "most {} bytes.",
                               in_quotes(options_.name), kMaxReplyBytes));
    }
    if (code == CURLE_OPERATION_TIMEDOUT) return late_reply(options_);
    const bool can_resume = transfer.is_stream && transfer.events != nullptr &&
                            !transfer.events->last_id().empty();
    if (can_resume) return {};
    return Error(ErrorCode::Unavailable,
                 fmt::format("The MCP server {} at {} cannot be reached: {}.",
                             in_quotes(options_.name), one_line(options_.url),
                             curl_easy_strerror(code)));
  }

  Result<void> check_status(const McpTransfer& transfer) {
    if (transfer.status >= 200 && transfer.status <= 299) return {};
    if (transfer.status == 404 && !session().empty()) {
      return Error(ErrorCode::NotFound, "The MCP server " +
                                            in_quotes(options_.name) +
                                            " has forgotten the session.");
    }
    const bool is_token = transfer.status == 401 || transfer.status == 403;
    return Error(
        is_token ? ErrorCode::Unauthenticated : ErrorCode::Unavailable,
        fmt::format("The MCP server {} replied with status {}: {}{}",
                    in_quotes(options_.name), transfer.status,
                    one_line(transfer.text, 200),
                    is_token ? " Give its token in the environment variable " +
                                   mcp_token_variable(options_.name) + "."
                             : ""));
  }

  const McpServerOptions options_;
  SystemClock clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::string session_;
  std::string version_;
  std::vector<Easy> idle_;
};

}  // namespace

Result<std::unique_ptr<McpTransport>> open_http_transport(
    const McpServerOptions& options) {
  static const CURLcode kStatus = curl_global_init(CURL_GLOBAL_DEFAULT);
  ENSURE(kStatus == CURLE_OK, "libcurl initializes");
  return std::unique_ptr<McpTransport>(
      std::make_unique<HttpTransport>(options));
}

}  // namespace lamarck::agent::internal
