#include "lamarck/llm/internal/http_connection.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stop_token>

#include "lamarck/base/ensure.h"

namespace lamarck::llm::internal {
namespace {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

void initialize_curl() {
  static const CURLcode kStatus = curl_global_init(CURL_GLOBAL_DEFAULT);
  ENSURE(kStatus == CURLE_OK, "libcurl initializes");
}

HeaderList header_list(const std::vector<std::string>& headers) {
  HeaderList list;
  for (const std::string& header : headers) {
    curl_slist* longer = curl_slist_append(list.get(), header.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

// The state of one post that the callbacks of libcurl share.
struct Progress {
  CURL* easy;
  const HttpPost* post;
  HttpOutcome outcome;
  std::size_t received = 0;
  std::exception_ptr thrown;  // By `on_bytes`.

  // Returns whether the reply is still within its limit.
  bool count(std::size_t bytes) {
    received += bytes;
    if (received <= post->max_reply_bytes) return true;
    outcome.ending = HttpEnding::TooLarge;
    return false;
  }
  long status() const {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
  }
};

// Returning fewer bytes than offered makes libcurl stop the transfer.
std::size_t on_body(char* data, std::size_t /*one*/, std::size_t size,
                    void* context) {
  auto& progress = *static_cast<Progress*>(context);
  if (!progress.count(size)) return 0;
  try {
    const long status = progress.status();
    if (status < 200 || status > 299) {
      progress.outcome.failed_body.append(data, size);
    } else if (progress.post->on_bytes &&
               !progress.post->on_bytes({data, size})) {
      progress.outcome.ending = HttpEnding::Stopped;
      return 0;
    }
    return size;
  } catch (...) {
    progress.thrown = std::current_exception();
    return 0;
  }
}

// The value of the header line if it has this name.
std::optional<std::string> header_value(std::string_view line,
                                        std::string_view name) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  if (line.size() <= name.size() || line[name.size()] != ':' ||
      !std::equal(name.begin(), name.end(), line.begin(), same)) {
    return std::nullopt;
  }
  line.remove_prefix(name.size() + 1);
  const auto begin = line.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  const auto end = line.find_last_not_of(" \t\r\n");
  return std::string(line.substr(begin, end - begin + 1));
}

// Converts a date to the seconds until then, since Retry-After may be either.
std::string seconds_of(std::string value) {
  if (value.find(' ') == std::string::npos) return value;
  const std::time_t date = curl_getdate(value.c_str(), nullptr);
  if (date < 0) return value;
  return std::to_string(std::max<std::time_t>(0, date - std::time(nullptr)));
}

std::size_t on_header(char* data, std::size_t /*one*/, std::size_t size,
                      void* context) {
  auto& progress = *static_cast<Progress*>(context);
  if (!progress.count(size)) return 0;
  const std::string_view line(data, size);
  if (auto value = header_value(line, "retry-after")) {
    progress.outcome.retry_after = seconds_of(std::move(*value));
  } else if (auto where = header_value(line, "location")) {
    progress.outcome.location = std::move(*where);
  }
  return size;
}

void set_options(CURL* easy, const HttpPost& post, curl_slist* headers,
                 Progress& progress, char* error_text) {
  curl_easy_reset(easy);
  curl_easy_setopt(easy, CURLOPT_URL, post.url.c_str());
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post.body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(post.body.size()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &progress);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &progress);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  if (!post.uses_proxy) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  // A pending DNS lookup does not delay a cancelled call.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

HttpEnding classify_ending(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpEnding::Complete;
    case CURLE_COULDNT_CONNECT:
      return HttpEnding::NotConnected;
    default:
      return HttpEnding::Broken;
  }
}

// The result of the transfer once it has ended.
std::optional<CURLcode> finished(CURLM* multi) {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return std::nullopt;
}

}  // namespace

struct HttpConnection::Handles {
  // `multi` owns the open connection and must outlive `easy`.
  std::unique_ptr<CURLM, MultiDeleter> multi;
  std::unique_ptr<CURL, EasyDeleter> easy;

  // Runs until the transfer ends, the deadline passes or `cancel` is triggered.
  void run(Progress& progress, const Deadline& deadline,
           const CancelToken& cancel, const char* error_text);
};

void HttpConnection::Handles::run(Progress& progress, const Deadline& deadline,
                                  const CancelToken& cancel,
                                  const char* error_text) {
  const std::stop_callback wake(cancel.stop_token(),
                                [this] { curl_multi_wakeup(multi.get()); });
  constexpr std::chrono::milliseconds kMaxWait{1000};
  HttpOutcome& outcome = progress.outcome;
  while (true) {
    if (cancel.is_cancelled() || deadline.has_passed()) {
      outcome.ending =
          cancel.is_cancelled() ? HttpEnding::Cancelled : HttpEnding::TimedOut;
      return;
    }
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    if (const auto code = finished(multi.get())) {
      if (outcome.ending == HttpEnding::Complete) {
        outcome.ending = classify_ending(*code);
        outcome.reason =
            *error_text != '\0' ? error_text : curl_easy_strerror(*code);
      }
      return;
    }
    const auto wait = std::min<std::chrono::milliseconds>(
        std::chrono::ceil<std::chrono::milliseconds>(deadline.left()),
        kMaxWait);
    curl_multi_poll(multi.get(), nullptr, 0, static_cast<int>(wait.count()),
                    nullptr);
  }
}

HttpConnection::HttpConnection() : handles_(std::make_unique<Handles>()) {
  initialize_curl();
  handles_->multi.reset(curl_multi_init());
  handles_->easy.reset(curl_easy_init());
  if (!handles_->multi || !handles_->easy) throw std::bad_alloc();
}

HttpConnection::~HttpConnection() = default;
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection& HttpConnection::operator=(HttpConnection&&) noexcept = default;

HttpOutcome HttpConnection::post(const HttpPost& post, const Deadline& deadline,
                                 const CancelToken& cancel) {
  CURL* easy = handles_->easy.get();
  const HeaderList headers = header_list(post.headers);
  std::array<char, CURL_ERROR_SIZE> error_text{};
  Progress progress{.easy = easy, .post = &post, .outcome = {}, .thrown = {}};
  set_options(easy, post, headers.get(), progress, error_text.data());
  curl_multi_add_handle(handles_->multi.get(), easy);
  handles_->run(progress, deadline, cancel, error_text.data());
  progress.outcome.status = progress.status();
  curl_off_t sent = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  progress.outcome.was_sent = sent >= static_cast<curl_off_t>(post.body.size());
  curl_multi_remove_handle(handles_->multi.get(), easy);
  curl_easy_reset(easy);  // It points to local variables.
  if (progress.thrown) std::rethrow_exception(progress.thrown);
  return std::move(progress.outcome);
}

}  // namespace lamarck::llm::internal
