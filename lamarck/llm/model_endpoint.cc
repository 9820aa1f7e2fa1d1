#include "lamarck/llm/model_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/rng.h"
#include "lamarck/llm/internal/base_url.h"
#include "lamarck/llm/internal/call_gate.h"
#include "lamarck/llm/internal/endpoint_error.h"
#include "lamarck/llm/internal/http_connection.h"
#include "lamarck/llm/internal/retry_policy.h"

namespace lamarck::llm {

using internal::Deadline;
using internal::HttpConnection;
using internal::HttpEnding;
using internal::HttpOutcome;
using internal::HttpPost;

struct ModelEndpoint::State {
  State(EndpointOptions given, internal::BaseUrl parsed, Clock& its_clock)
      : options(std::move(given)),
        url(std::move(parsed)),
        clock(its_clock),
        gate(options.concurrent_calls) {}

  HttpConnection take_connection() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return {};
    HttpConnection connection = std::move(idle.back());
    idle.pop_back();
    return connection;
  }
  void give_back(HttpConnection connection) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(connection));
  }
  HttpPost http_post(const EndpointCall& call) const;
  // Why a call failed, without the key.
  std::string failure_text(const HttpOutcome& outcome,
                           std::chrono::milliseconds timeout) const;
  EndpointReply reply(const HttpOutcome& outcome, int attempt,
                      std::chrono::milliseconds timeout,
                      const CancelToken& cancel) const;
  // Waits until the time that the server asked all calls to wait for; returns
  // false if the deadline is earlier.
  bool wait_for_server(const Deadline& deadline, const CancelToken& cancel);
  // Sleeps until the next attempt; returns false if the deadline is earlier.
  bool pause(const HttpOutcome& outcome, int attempt, Rng& rng,
             const Deadline& deadline, const CancelToken& cancel);

  // Set at construction.
  EndpointOptions options;
  internal::BaseUrl url;
  Clock& clock;

  internal::CallGate gate;
  std::atomic<std::uint64_t> calls = 0;
  std::mutex mutex;
  // Guarded by mutex.
  std::vector<HttpConnection> idle;
  std::chrono::nanoseconds quiet_until{0};  // Time of the clock.
};

namespace {

// A shorter key is a placeholder rather than a secret, and masking it would
// damage ordinary text.
constexpr std::size_t kMinSecretSize = 8;

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  const auto end = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(begin, end - begin + 1));
}

Result<void> check_key(std::string_view key) {
  const bool is_plain =
      std::ranges::all_of(key, [](char c) { return c > ' ' && c < 127; });
  if (is_plain) return {};
  return Error(ErrorCode::InvalidArgument,
               "The API key must consist of printable ASCII characters without "
               "spaces or line ends; set LAMARCK_LLM_API_KEY or OPENAI_API_KEY "
               "to the key alone.");
}

std::string masked(std::string text, const std::string& key) {
  if (key.size() < kMinSecretSize) return text;
  constexpr std::string_view kMask = "(key)";
  for (std::size_t at = text.find(key); at != std::string::npos;
       at = text.find(key, at + kMask.size())) {
    text.replace(at, key.size(), kMask);
  }
  return text;
}

bool is_good(const HttpOutcome& outcome) {
  if (outcome.ending == HttpEnding::Stopped) return true;
  return outcome.ending == HttpEnding::Complete && outcome.status >= 200 &&
         outcome.status <= 299;
}

}  // namespace

HttpPost ModelEndpoint::State::http_post(const EndpointCall& call) const {
  HttpPost post{.url = url.with_path(call.path),
                .headers = {"Content-Type: application/json",
                            "Accept: application/json, text/event-stream",
                            // Disables "Expect: 100-continue", which delays
                            // large requests.
                            "Expect:"},
                .body = call.body,
                .max_reply_bytes = options.max_reply_bytes,
                .uses_proxy = !url.is_local,
                .on_bytes = call.on_bytes};
  if (!options.api_key.empty()) {
    post.headers.push_back("Authorization: Bearer " + options.api_key);
  }
  return post;
}

std::string ModelEndpoint::State::failure_text(
    const HttpOutcome& outcome, std::chrono::milliseconds timeout) const {
  return masked(internal::endpoint_error(outcome, url.shown, timeout).message(),
                options.api_key);
}

EndpointReply ModelEndpoint::State::reply(const HttpOutcome& outcome,
                                          int attempt,
                                          std::chrono::milliseconds timeout,
                                          const CancelToken& cancel) const {
  const bool was_refused =
      outcome.ending == HttpEnding::Complete && !is_good(outcome);
  EndpointReply reply{.attempts = attempt,
                      .may_have_cost = outcome.was_sent && !was_refused};
  if (outcome.ending == HttpEnding::Cancelled) {
    reply.outcome = cancel.check();
  } else if (!is_good(outcome)) {
    const Error error = internal::endpoint_error(outcome, url.shown, timeout);
    reply.outcome =
        Error(error.code(), failure_text(outcome, timeout), error.fields());
  }
  return reply;
}

bool ModelEndpoint::State::pause(const HttpOutcome& outcome, int attempt,
                                 Rng& rng, const Deadline& deadline,
                                 const CancelToken& cancel) {
  const auto duration = internal::pause_after(
      attempt, options.first_pause,
      internal::parse_retry_after(outcome.retry_after), rng);
  if (internal::parse_retry_after(outcome.retry_after)) {
    // The server means all calls, also those that come later.
    const std::lock_guard lock(mutex);
    quiet_until = std::max(quiet_until, clock.elapsed() + duration);
  }
  if (duration >= deadline.left()) return false;
  clock.sleep_for(duration, cancel);
  return true;
}

bool ModelEndpoint::State::wait_for_server(const Deadline& deadline,
                                           const CancelToken& cancel) {
  std::chrono::nanoseconds left{0};
  {
    const std::lock_guard lock(mutex);
    left = quiet_until - clock.elapsed();
  }
  if (left.count() <= 0) return true;
  if (left >= deadline.left()) return false;
  clock.sleep_for(left, cancel);
  return true;
}

ModelEndpoint::ModelEndpoint(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

ModelEndpoint::~ModelEndpoint() = default;

Result<std::shared_ptr<ModelEndpoint>> ModelEndpoint::open(
    EndpointOptions options, Clock& clock) {
  REQUIRE(options.attempts >= 1 && options.concurrent_calls >= 1 &&
              options.first_pause.count() >= 0 && options.timeout.count() > 0,
          "ModelEndpoint::open: attempts, concurrent_calls and timeout must be "
          "at least 1 and first_pause at least 0, got {}, {}, {} ms and {} ms.",
          options.attempts, options.concurrent_calls, options.timeout.count(),
          options.first_pause.count());
  options.api_key = trimmed(options.api_key);
  ASSIGN_OR_RETURN(internal::BaseUrl url,
                   internal::parse_base_url(trimmed(options.base_url)));
  RETURN_IF_ERROR(check_key(options.api_key));
  return std::shared_ptr<ModelEndpoint>(new ModelEndpoint(
      std::make_unique<State>(std::move(options), std::move(url), clock)));
}

EndpointReply ModelEndpoint::post(const EndpointCall& call,
                                  const CancelToken& cancel) {
  const auto timeout = call.timeout.value_or(state_->options.timeout);
  const Deadline deadline(state_->clock, timeout);
  const auto place = state_->gate.enter(deadline, cancel);
  if (!place) return {.outcome = place.error(), .attempts = 0};
  if (!state_->wait_for_server(deadline, cancel)) {
    return {.outcome = Error(
                ErrorCode::Unavailable,
                fmt::format("The model server at {} asked to wait longer than "
                            "the time limit of a call; try again later, or "
                            "increase llm.timeout.",
                            state_->url.shown)),
            .attempts = 0};
  }
  if (const auto cancelled = cancel.check(); !cancelled) {
    return {.outcome = cancelled.error(), .attempts = 0};
  }
  const HttpPost post = state_->http_post(call);
  Rng rng = Rng(state_->options.jitter_seed).split(state_->calls++);
  HttpConnection connection = state_->take_connection();
  int attempt = 1;
  std::string last_failure;
  HttpOutcome outcome = connection.post(post, deadline, cancel);
  while (internal::is_worth_retrying(outcome) &&
         attempt < state_->options.attempts &&
         state_->pause(outcome, attempt, rng, deadline, cancel)) {
    last_failure = state_->failure_text(outcome, timeout);
    outcome = connection.post(post, deadline, cancel);
    ++attempt;
  }
  state_->give_back(std::move(connection));
  EndpointReply reply = state_->reply(outcome, attempt, timeout, cancel);
  if (!reply.outcome && !last_failure.empty() &&
      outcome.ending == HttpEnding::Cancelled) {
    const Error& error = reply.outcome.error();
    reply.outcome =
        Error(error.code(), error.message(), {{"last_failure", last_failure}});
  }
  reply.time_left =
      std::chrono::floor<std::chrono::milliseconds>(deadline.left());
  return reply;
}

const std::string& ModelEndpoint::shown_address() const {
  return state_->url.shown;
}

std::string ModelEndpoint::without_key(std::string text) const {
  return masked(std::move(text), state_->options.api_key);
}

}  // namespace lamarck::llm
