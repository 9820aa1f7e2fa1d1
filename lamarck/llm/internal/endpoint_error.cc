#include "lamarck/llm/internal/endpoint_error.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/llm/internal/retry_policy.h"

namespace lamarck::llm::internal {
namespace {

constexpr std::size_t kShownCharacters = 300;

// Servers send {"error": {"message": ..}}, {"error": ..}, {"message": ..} or
// {"detail": ..}.
std::string json_message(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object()) return "";
  for (const char* name : {"error", "message", "detail"}) {
    if (json.contains(name)) return json_message(json[name]);
  }
  return "";
}

struct Advice {
  ErrorCode code;
  std::string_view remedy;
};

Advice advice(long status) {
  if (status >= 300 && status <= 399) {
    return {ErrorCode::InvalidArgument,
            "Redirects are not followed, because they would send the key to "
            "another server; set llm.base_url to the final URL."};
  }
  if (status == 401) {
    return {ErrorCode::Unauthenticated,
            "Set LAMARCK_LLM_API_KEY or OPENAI_API_KEY to a key that is valid "
            "for this server."};
  }
  if (status == 403) return {ErrorCode::PermissionDenied, ""};
  if (status == 404) {
    return {ErrorCode::NotFound,
            "Check llm.base_url, which usually ends in /v1, and llm.model."};
  }
  if (status == 429) {
    return {ErrorCode::Unavailable,
            "Try again later, or with fewer concurrent calls."};
  }
  if (status >= 500) return {ErrorCode::Unavailable, ""};
  return {ErrorCode::InvalidArgument, ""};
}

Error status_error(const HttpOutcome& outcome, std::string_view address) {
  const Advice hint = advice(outcome.status);
  std::string message =
      fmt::format("The model server at {} answered with status {}", address,
                  outcome.status);
  const std::string words = server_words(outcome.failed_body);
  if (!words.empty()) message += ": " + words;
  if (!message.ends_with('.')) message += '.';
  if (const auto wait = parse_retry_after(outcome.retry_after)) {
    message += fmt::format(" It asks to wait {}.", to_readable(*wait));
  }
  if (!hint.remedy.empty()) message += fmt::format(" {}", hint.remedy);
  return {hint.code, message, {{"status", std::to_string(outcome.status)}}};
}

}  // namespace

std::string server_words(std::string_view body) {
  if (const auto json = parse_json(body, {.depth = 32})) {
    const std::string words = json_message(*json);
    if (!words.empty()) return one_line(words, kShownCharacters);
  }
  return one_line(body, kShownCharacters);
}

Error endpoint_error(const HttpOutcome& outcome, std::string_view address,
                     std::chrono::milliseconds timeout) {
  const auto make_error = [&](ErrorCode code, const std::string& what) {
    return Error(code,
                 fmt::format("The model server at {} {}.", address, what));
  };
  switch (outcome.ending) {
    case HttpEnding::Complete:
      return status_error(outcome, address);
    case HttpEnding::TimedOut:
      return make_error(
          ErrorCode::Timeout,
          fmt::format("did not {} within {}",
                      outcome.status == 0 ? "answer" : "finish its answer",
                      to_readable(timeout)));
    case HttpEnding::TooLarge:
      return make_error(ErrorCode::Unavailable,
                        "sent an answer that is too large and was cut off");
    case HttpEnding::NotConnected:
      return {ErrorCode::Unavailable,
              fmt::format("No server answers at {} ({}); start the model "
                          "server or set llm.base_url.",
                          address, one_line(outcome.reason))};
    case HttpEnding::Stopped:
    case HttpEnding::Cancelled:
    case HttpEnding::Broken:
      break;
  }
  return make_error(ErrorCode::Unavailable, "did not complete the request: " +
                                                one_line(outcome.reason));
}

}  // namespace lamarck::llm::internal
