#include "lamarck/server/mcp/internal/mcp_session.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_call.h"

namespace lamarck::mcp {

McpSession::McpSession(std::string id, std::function<void(std::string)> push)
    : id_(std::move(id)), push_(std::move(push)) {}

void McpSession::negotiate(std::string version, ClientCapabilities client) {
  // Removes capabilities that the version does not have.
  if (version < "2025-06-18") client.elicitation_form = false;
  if (version < "2025-11-25") client.elicitation_url = false;
  const std::lock_guard lock(mutex_);
  version_ = std::move(version);
  client_ = client;
}

std::string McpSession::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

ClientCapabilities McpSession::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

void McpSession::set_ready() {
  const std::lock_guard lock(mutex_);
  is_ready_ = true;
}

bool McpSession::is_ready() const {
  const std::lock_guard lock(mutex_);
  return is_ready_ && !is_closed_;
}

std::optional<LogLevel> McpSession::log_level() const {
  const std::lock_guard lock(mutex_);
  return log_level_;
}

void McpSession::set_log_level(LogLevel level) {
  const std::lock_guard lock(mutex_);
  log_level_ = level;
}

bool McpSession::subscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  if (subscriptions_.size() < kMaxSubscriptions) subscriptions_.insert(uri);
  return subscriptions_.contains(uri);
}

void McpSession::unsubscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  subscriptions_.erase(uri);
}

bool McpSession::is_subscribed(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return subscriptions_.contains(uri);
}

std::set<std::string> McpSession::subscriptions() const {
  const std::lock_guard lock(mutex_);
  return subscriptions_;
}

bool McpSession::has_subscriptions() const {
  const std::lock_guard lock(mutex_);
  return !subscriptions_.empty();
}

bool McpSession::begin(const std::shared_ptr<McpCall>& call) {
  const std::lock_guard lock(mutex_);
  return calls_.try_emplace(call->message().id, call).second;
}

void McpSession::end(const McpCall& call) {
  std::shared_ptr<McpCall> ended;  // Destroyed after unlocking.
  const std::lock_guard lock(mutex_);
  ++unsettled_;
  const auto found = calls_.find(call.message().id);
  // A rejected call may have the id of an active one.
  if (found == calls_.end() || found->second.get() != &call) return;
  ended = std::move(found->second);
  calls_.erase(found);
}

void McpSession::settle() {
  const std::lock_guard lock(mutex_);
  if (--unsettled_ == 0 && calls_.empty()) changed_.notify_all();
}

void McpSession::cancel(const std::string& id, const std::string& reason) {
  std::shared_ptr<McpCall> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    call = found->second;
  }
  call->cancel_quietly(reason);
}

std::size_t McpSession::call_count() const {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

bool McpSession::wait_idle(std::chrono::milliseconds at_most) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most,
                           [&] { return calls_.empty() && unsettled_ == 0; });
}

void McpSession::close(const std::string& reason, Farewell farewell) {
  std::map<std::string, std::shared_ptr<McpCall>> calls;
  {
    const std::lock_guard lock(mutex_);
    // Copies the calls, because cancelling one calls end(), which takes the
    // lock.
    is_closed_ = true;
    calls = calls_;
  }
  changed_.notify_all();
  for (const auto& [id, call] : calls) {
    if (farewell == Farewell::Told) {
      call->cancel_aloud(reason);
    } else {
      call->cancel_quietly(reason);
    }
  }
}

bool McpSession::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

std::int64_t McpSession::open_request() {
  const std::lock_guard lock(mutex_);
  requests_.insert(next_request_);
  return next_request_++;
}

void McpSession::withdraw_request(std::int64_t id, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(answers_,
                  [id](const ClientAnswer& one) { return one.id == id; });
    // A client must not be told to cancel what it has already answered.
    if (requests_.erase(id) == 0 || is_closed_) return;
  }
  push(notification_message("notifications/cancelled",
                            R"({"requestId":)" + std::to_string(id) +
                                R"(,"reason":)" + json_quoted(reason) + "}"));
}

void McpSession::answer(const McpMessage& response) {
  const Json* id = find_member(*response.json, "id");
  if (id == nullptr || !id->is_number_integer()) return;
  const std::lock_guard lock(mutex_);
  if (requests_.erase(id->get<std::int64_t>()) == 0) return;
  answers_.push_back({id->get<std::int64_t>(), response.json});
  changed_.notify_all();
}

std::vector<McpSession::ClientAnswer> McpSession::take_answers(
    const std::set<std::int64_t>& ids) {
  std::vector<ClientAnswer> taken;
  const std::lock_guard lock(mutex_);
  std::erase_if(answers_, [&](ClientAnswer& one) {
    const bool is_taken = ids.contains(one.id);
    if (is_taken) taken.push_back(std::move(one));
    return is_taken;
  });
  return taken;
}

void McpSession::wait_answers(const std::set<std::int64_t>& ids,
                              const CancelToken& cancel,
                              std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, cancel.stop_token(), at_most, [&] {
    return is_closed_ ||
           std::ranges::any_of(answers_, [&](const ClientAnswer& one) {
             return ids.contains(one.id);
           });
  });
}

}  // namespace lamarck::mcp
