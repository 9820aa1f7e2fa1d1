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

// Servers write {"error": {"message": ..}}, {"error": ..}, {"message": ..} or
// {"detail": ..}.
std::string json_words(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object()) return "";
  for (const char* name : {"error", "message", "detail"}) {
    if (json.contains(name)) return json_words(json[name]);
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
            "Redirects are not followed, because the key would go elsewhere: "
            "set llm.base_url to the address that answers."};
  }
  if (status == 401) {
    return {ErrorCode::Unauthenticated,
            "Set LAMARCK_LLM_API_KEY or OPENAI_API_KEY to a key that is valid "
            "there."};
  }
  if (status == 403) return {ErrorCode::PermissionDenied, ""};
  if (status == 404) {
    return {ErrorCode::NotFound,
            "Check llm.base_url, which mostly ends in /v1, and llm.model."};
  }
  if (status == 429) {
    return {ErrorCode::Unavailable, "Try later, or with fewer calls at once."};
  }
  if (status >= 500) return {ErrorCode::Unavailable, ""};
  return {ErrorCode::InvalidArgument, ""};
}

Error status_error(const HttpOutcome& outcome, std::string_view address) {
  const Advice told = advice(outcome.status);
  std::string message =
      fmt::format("The model's server at {} answered with status {}", address,
                  outcome.status);
  const std::string words = server_words(outcome.failed_body);
  if (!words.empty()) message += ": " + words;
  if (!message.ends_with('.')) message += '.';
  if (const auto wait = parse_retry_after(outcome.retry_after)) {
    message += fmt::format(" It asks to wait {}.", to_readable(*wait));
  }
  if (!told.remedy.empty()) message += fmt::format(" {}", told.remedy);
  return {told.code, message, {{"status", std::to_string(outcome.status)}}};
}

}  // namespace

std::string server_words(std::string_view body) {
  if (const auto json = parse_json(body, {.depth = 32})) {
    const std::string words = json_words(*json);
    if (!words.empty()) return one_line(words, kShownCharacters);
  }
  return one_line(body, kShownCharacters);
}

Error endpoint_error(const HttpOutcome& outcome, std::string_view address,
                     std::chrono::milliseconds timeout) {
  const auto told = [&](ErrorCode code, const std::string& what) {
    return Error(code,
                 fmt::format("The model's server at {} {}.", address, what));
  };
  switch (outcome.ending) {
    case HttpEnding::Complete:
      return status_error(outcome, address);
    case HttpEnding::TimedOut:
      return told(
          ErrorCode::Timeout,
          fmt::format("did not {} within {}",
                      outcome.status == 0 ? "answer" : "finish its answer",
                      to_readable(timeout)));
    case HttpEnding::TooLarge:
      return told(ErrorCode::Unavailable,
                  "gave an answer that is too large and was cut off");
    case HttpEnding::NotConnected:
      return {ErrorCode::Unavailable,
              fmt::format("Nobody answers at {} ({}); start the model's server "
                          "or set llm.base_url.",
                          address, one_line(outcome.reason))};
    case HttpEnding::Stopped:
    case HttpEnding::Cancelled:
    case HttpEnding::Broken:
      break;
  }
  return told(ErrorCode::Unavailable,
              "could not be asked: " + one_line(outcome.reason));
}

}  // namespace lamarck::llm::internal
