#include "lamarck/server/webhooks/webhook_sender.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/webhooks/webhook_address.h"
#include "lamarck/server/webhooks/webhook_signature.h"

namespace lamarck::server {
namespace {

// Longer than an attempt takes. If this process dies, another one may send the
// event after it.
constexpr std::chrono::seconds kClaimTime{120};

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, FreeEasy>;

class CurlList {
 public:
  void add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(list_.get(), line.c_str());
    ENSURE(longer != nullptr, "there is memory for a header");
    (void)list_.release();
    list_.reset(longer);
  }
  curl_slist* get() const { return list_.get(); }

 private:
  std::unique_ptr<curl_slist, FreeList> list_;
};

template <class Value>
void set_option(CURL* handle, CURLoption option, Value value) {
  ENSURE(curl_easy_setopt(handle, option, value) == CURLE_OK,
         "libcurl knows the option");
}

// The receiver's answer does not matter, and could be endless.
std::size_t ignore_body(char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

int stop_if_cancelled(void* cancel, curl_off_t, curl_off_t received, curl_off_t,
                      curl_off_t) {
  constexpr curl_off_t kMaxReply = curl_off_t{1} << 20;
  return static_cast<const CancelToken*>(cancel)->is_cancelled() ||
                 received > kMaxReply
             ? 1
             : 0;
}

std::string event_body(const skills::OutboxEvent& event) {
  return dump_json({{"type", event.type},
                    {"timestamp", to_iso8601(event.created_at)},
                    {"data", event.payload}});
}

CurlList event_headers(const skills::Delivery& delivery,
                       const std::string& body, const Clock& clock) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       clock.wall_time().time_since_epoch())
                       .count();
  const std::string& id = delivery.event.id;
  CurlList headers;
  headers.add("Content-Type: application/json");
  headers.add("User-Agent: lamarck-webhooks/1");
  headers.add("Expect:");  // Some receivers do not support it.
  headers.add("webhook-id: " + id);
  headers.add(fmt::format("webhook-timestamp: {}", now));
  headers.add("webhook-signature: " +
              webhook_signature(delivery.webhook.secret, id, now, body));
  return headers;
}

std::string in_brackets_if_ipv6(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace

std::chrono::seconds retry_delay(const WebhookOptions& options,
                                 std::int64_t attempts) {
  const std::int64_t doublings = std::clamp<std::int64_t>(attempts - 1, 0, 30);
  return std::min(options.first_delay * (std::int64_t{1} << doublings),
                  options.max_delay);
}

WebhookSender::WebhookSender(skills::SkillStore& store,
                             const WebhookOptions& options, const Clock& clock)
    : store_(store), options_(options), clock_(clock) {
  static const CURLcode kStatus = curl_global_init(CURL_GLOBAL_DEFAULT);
  ENSURE(kStatus == CURLE_OK, "libcurl starts");
}

Result<bool> WebhookSender::send_one(const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const auto delivery, store_.claim_delivery(kClaimTime));
  if (!delivery) return false;
  const Result<void> sent = post(*delivery, cancel);
  if (!sent && cancel.is_cancelled()) {
    // Not the receiver's fault: due again at once.
    RETURN_IF_ERROR(
        store_.finish_delivery(delivery->id, false, "The server stopped.",
                               std::chrono::seconds(0), options_.max_attempts));
    return true;
  }
  RETURN_IF_ERROR(store_.finish_delivery(
      delivery->id, bool{sent}, sent ? "" : sent.error().message(),
      retry_delay(options_, delivery->attempts), options_.max_attempts));
  return true;
}

Result<void> WebhookSender::post(const skills::Delivery& delivery,
                                 const CancelToken& cancel) const {
  ASSIGN_OR_RETURN(
      const WebhookUrl url,
      parse_webhook_url(delivery.webhook.url, options_.allows_private));
  ASSIGN_OR_RETURN(const std::string address,
                   resolve_webhook_host(url, options_.allows_private));
  const std::string body = event_body(delivery.event);
  const CurlList headers = event_headers(delivery, body, clock_);
  // Connects to the address that was checked; the name may resolve to another
  // one by now.
  CurlList addresses;
  addresses.add(fmt::format("{}:{}:{}", in_brackets_if_ipv6(url.host), url.port,
                            in_brackets_if_ipv6(address)));
  const CurlHandle handle(curl_easy_init());
  ENSURE(handle != nullptr, "there is memory for a connection");
  CURL* const curl = handle.get();
  set_option(curl, CURLOPT_URL, url.url.c_str());
  set_option(curl, CURLOPT_RESOLVE, addresses.get());
  set_option(curl, CURLOPT_PROXY, "");
  set_option(curl, CURLOPT_FOLLOWLOCATION, 0L);
  set_option(curl, CURLOPT_HTTPHEADER, headers.get());
  set_option(curl, CURLOPT_POSTFIELDSIZE_LARGE,
             static_cast<curl_off_t>(body.size()));
  set_option(curl, CURLOPT_POSTFIELDS, body.c_str());
  set_option(curl, CURLOPT_TIMEOUT_MS,
             static_cast<long>(options_.timeout.count()));
  set_option(curl, CURLOPT_NOSIGNAL, 1L);
  set_option(curl, CURLOPT_WRITEFUNCTION, ignore_body);
  set_option(curl, CURLOPT_NOPROGRESS, 0L);
  set_option(curl, CURLOPT_XFERINFOFUNCTION, stop_if_cancelled);
  set_option(curl, CURLOPT_XFERINFODATA,
             const_cast<void*>(static_cast<const void*>(&cancel)));
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) {
    return Error(ErrorCode::Unavailable,
                 fmt::format("The receiver was not reached: {}.",
                             curl_easy_strerror(code)));
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) return {};
  return Error(ErrorCode::Unavailable,
               fmt::format("The receiver answered with status {}.", status));
}

}  // namespace lamarck::server
