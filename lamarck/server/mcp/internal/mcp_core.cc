#include "lamarck/server/mcp/internal/mcp_core.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_headers.h"

namespace lamarck::mcp {
namespace {

// Builds with tests validate every result against its output schema.
#ifdef LAMARCK_CHECKS_OUTPUT
constexpr bool kChecksOutput = true;
#else
constexpr bool kChecksOutput = false;
#endif

std::string random_secret(Rng rng) {
  std::string secret;
  for (int i = 0; i < 4; ++i) secret += to_hex64(rng.bits());
  return secret;
}

Failure unknown_method(std::string_view method) {
  return {kMethodNotFound, "Unknown method " + in_quotes(method) + ".", ""};
}

McpTasks::Options task_options(const McpOptions& options, McpCore* core) {
  return {options.max_tasks, options.workers,
          [core] { return core->next_secret("task"); },
          [core](std::string_view id, std::string_view members) {
            core->hub().task_changed(id, members);
          }};
}

}  // namespace

McpCore::McpCore(std::unique_ptr<const McpCatalog> catalog, McpOptions options,
                 Clock& clock, Rng rng, store::Journal* journal)
    : options_(std::move(options)),
      catalog_(std::move(catalog)),
      clock_(clock),
      secret_(random_secret(rng.split("secret"))),
      seal_(options_.state_key.empty() ? random_secret(rng.split("state"))
                                       : options_.state_key,
            clock),
      tasks_(task_options(options_, this), clock, rng.split("tasks"), journal),
      runner_(*catalog_, seal_, tasks_, workers_, clock_,
              options_.checks_output || kChecksOutput),
      workers_(options_.workers) {}

McpCore::~McpCore() { stop(); }

Result<std::unique_ptr<McpCore>> McpCore::create(Registry registry,
                                                 McpOptions options,
                                                 Clock& clock, Rng rng,
                                                 store::Journal* journal) {
  ASSIGN_OR_RETURN(auto catalog,
                   McpCatalog::create(std::move(registry), options.page_size));
  // make_unique cannot call the private constructor.
  std::unique_ptr<McpCore> core(
      new McpCore(std::move(catalog), std::move(options), clock, rng, journal));
  RETURN_IF_ERROR(core->tasks_.recover());
  return core;
}

void McpCore::stop() {
  // Listeners get their final result before everything else is cancelled.
  hub_.stop();
  root_.cancel("The server is stopping.");
  tasks_.stop();
}

std::string McpCore::next_secret(std::string_view purpose) {
  // The HMAC of a counter is unpredictable without the key and needs no lock.
  const std::string count = std::to_string(secrets_given_.fetch_add(1));
  return hmac_sha256_hex(secret_, std::string(purpose) + count).substr(0, 32);
}

std::shared_ptr<McpCall> McpCore::accept_modern(
    McpMessage message, const net::HttpHeaders* headers,
    std::shared_ptr<McpReplySink> sink, std::shared_ptr<McpSession> session) {
  auto envelope = read_modern_envelope(message);
  const auto* wrong = std::get_if<Failure>(&envelope);
  // An invalid envelope also needs a call, which writes the error reply.
  auto call = std::make_shared<McpCall>(
      std::move(message),
      wrong == nullptr ? std::get<McpEnvelope>(std::move(envelope))
                       : McpEnvelope{},
      std::move(sink), std::move(session), root_.token());
  if (wrong != nullptr) {
    call->finish_failure(*wrong, FailureOrigin::Envelope);
    return call;
  }
  const McpMethodRow* row = check_modern(*call, headers);
  if (row == nullptr) return call;
  if (call->session() != nullptr && !call->session()->begin(call)) {
    call->finish_failure({kInvalidRequest,
                          "The id " + call->message().id +
                              " belongs to an active request; use a new id.",
                          ""});
    return call;
  }
  dispatch(call, *row, headers);
  return call;
}

const McpMethodRow* McpCore::check_modern(
    McpCall& call, const net::HttpHeaders* headers) const {
  const McpMessage& message = call.message();
  const auto refused = [&](const std::optional<Failure>& failure) {
    if (!failure.has_value()) return false;
    call.finish_failure(*failure, FailureOrigin::Envelope);
    return true;
  };
  if (headers != nullptr &&
      refused(check_version_header(*headers, call.version()))) {
    return nullptr;
  }
  if (refused(check_modern_version(call.version()))) return nullptr;
  if (headers != nullptr &&
      refused(check_method_header(*headers, message.method))) {
    return nullptr;
  }
  const McpMethodRow* row = find_method(message.method, Era::Modern);
  if (row == nullptr || !catalog_->has(row->feature)) {
    call.finish_failure(unknown_method(message.method));
    return nullptr;
  }
  if (headers != nullptr && !row->name_field.empty()) {
    const std::string* name = find_string(*message.params, row->name_field);
    if (name != nullptr && refused(check_name_header(*headers, *name))) {
      return nullptr;
    }
  }
  if (row->needs_tasks && !call.client().tasks) {
    call.finish_failure(missing_tasks());
    return nullptr;
  }
  return row;
}

std::shared_ptr<McpCall> McpCore::accept_legacy(
    McpMessage message, std::shared_ptr<McpReplySink> sink,
    const std::shared_ptr<McpSession>& session) {
  McpEnvelope envelope{Era::Legacy, session->version(), session->client(),
                       session->log_level(), read_progress_token(message)};
  auto call =
      std::make_shared<McpCall>(std::move(message), std::move(envelope),
                                std::move(sink), session, root_.token());
  const McpMethodRow* row = find_method(call->message().method, Era::Legacy);
  if (row == nullptr || !catalog_->has(row->feature)) {
    call->finish_failure(unknown_method(call->message().method));
  } else if (!session->begin(call)) {
    call->finish_failure({kInvalidRequest,
                          "The id " + call->message().id +
                              " belongs to an active request; use a new id.",
                          ""});
  } else {
    dispatch(call, *row, nullptr);
  }
  return call;
}

std::string McpCore::accept_initialize(
    const McpMessage& message, const std::shared_ptr<McpSession>& session) {
  const std::string* wanted = find_string(*message.params, "protocolVersion");
  if (wanted == nullptr) {
    return error_message(message.id,
                         {kInvalidParams,
                          "The params of initialize must have protocolVersion, "
                          "a string such as \"2025-11-25\".",
                          ""});
  }
  // The specification: answer an unknown version with the newest one we know.
  const std::string version(is_legacy_version(*wanted)
                                ? std::string_view(*wanted)
                                : kLegacyVersions.front());
  const Json* capabilities = find_member(*message.params, "capabilities");
  session->negotiate(version,
                     capabilities == nullptr
                         ? ClientCapabilities{}
                         : read_capabilities(*capabilities, Era::Legacy));
  return result_message(message.id, catalog_->initialize_result(version));
}

void McpCore::accept_quietly(const McpMessage& message, McpSession& session) {
  if (message.kind == McpMessage::Kind::Response) {
    session.answer(message);
  } else if (message.method == "notifications/initialized") {
    session.set_ready();
  } else if (message.method == "notifications/cancelled") {
    const Json* id = find_member(*message.params, "requestId");
    if (id == nullptr) return;
    const std::string* reason = find_string(*message.params, "reason");
    session.cancel(dump_json(*id), reason == nullptr
                                       ? "The client cancelled the request."
                                       : one_line(*reason));
  }
}

}  // namespace lamarck::mcp
