#include "lamarck/thought/internal/request_key.h"

#include <fmt/format.h>

#include "lamarck/base/one_line.h"

namespace lamarck::thought::internal {
namespace {

// A caller's key is stored after "session:", so a key after "session/" never
// equals one.
RequestKey own_key(std::string_view session, std::string_view own,
                   std::string_view what, std::string_view name) {
  return {.stored = fmt::format("{}/{}", session, own),
          .older = fmt::format("{}:{}", session, own),
          .what = what,
          .name = std::string(name)};
}

}  // namespace

RequestKey caller_key(std::string_view scope, std::string_view key) {
  if (key.empty()) return {};
  return {.stored = fmt::format("{}:{}", scope, key),
          .what = "idempotency key",
          .name = std::string(key)};
}

RequestKey execution_key(std::string_view session, std::string_view id) {
  return own_key(session, fmt::format("evidence:{}", id), "execution_id", id);
}

RequestKey validation_key(std::string_view session, std::string_view id) {
  return own_key(session, fmt::format("doc_validation:{}", id), "validation_id",
                 id);
}

RequestKey run_key(std::string_view session, std::string_view run) {
  return own_key(session, fmt::format("{}:answer", run), "run", run);
}

Error key_conflict(const RequestKey& key) {
  return {
      ErrorCode::Conflict,
      fmt::format("The {} {} was used for a different request; use a new one.",
                  key.what, in_quotes(key.name)),
      {{"key", key.name}, {"status", "409"}}};
}

Error in_callers_words(const Error& error, const RequestKey& key) {
  const bool is_conflict =
      error.code() == ErrorCode::Conflict && error.fields().contains("key");
  if (is_conflict) return key_conflict(key);
  const auto run = error.fields().find("run");
  const bool is_gone =
      error.code() == ErrorCode::NotFound && run != error.fields().end();
  if (!is_gone) return error;
  return {ErrorCode::NotFound,
          fmt::format("Session {} no longer exists; start one with "
                      "think_session_start.",
                      in_quotes(run->second)),
          {{"session", run->second}}};
}

}  // namespace lamarck::thought::internal
