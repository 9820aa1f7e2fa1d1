#include "lamarck/server/mcp/internal/mcp_hub.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

std::string subscription_meta(const McpCall& call) {
  return R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" +
         call.message().id + "}";
}

// A notification with the subscription id of the listener.
std::string with_subscription_id(const McpCall& call, std::string_view method,
                                 std::string_view members) {
  std::string params = "{";
  if (!members.empty()) params.append(members).append(",");
  return notification_message(method, params + subscription_meta(call) + "}");
}

std::string acknowledgement(const ListenFilter& filter) {
  Json honoured = Json::object();
  if (filter.tools) honoured["toolsListChanged"] = true;
  if (filter.prompts) honoured["promptsListChanged"] = true;
  if (filter.resources) honoured["resourcesListChanged"] = true;
  if (!filter.uris.empty()) honoured["resourceSubscriptions"] = filter.uris;
  if (!filter.tasks.empty()) honoured["taskIds"] = filter.tasks;
  return R"("notifications":)" + dump_json(honoured);
}

// On stdio the specification wants both the result and a cancellation.
void end_listening(McpCall& call) {
  if (call.is_over()) return;
  const std::string id = call.message().id;
  call.finish_result(R"({"resultType":"complete",)" + subscription_meta(call) +
                     "}");
  if (call.session() != nullptr) {
    call.session()->push(notification_message("notifications/cancelled",
                                              R"({"requestId":)" + id + "}"));
  }
}

}  // namespace

void McpHub::listen(const std::shared_ptr<McpCall>& call, ListenFilter filter) {
  call->send(with_subscription_id(*call,
                                  "notifications/subscriptions/acknowledged",
                                  acknowledgement(filter)));
  auto listener =
      std::make_shared<const Listener>(Listener{call, std::move(filter)});
  // A call that arrives while the hub stops must not wait forever.
  bool is_stopped = false;
  {
    const std::lock_guard lock(mutex_);
    is_stopped = is_stopped_;
    if (!is_stopped) listeners_.push_back(std::move(listener));
  }
  if (is_stopped) end_listening(*call);
}

void McpHub::leave(const McpSession& session) {
  for (const auto& listener : listeners()) {
    if (listener->call->session().get() == &session) {
      listener->call->cancel_quietly("The client disconnected.");
    }
  }
}

void McpHub::add_session(const std::shared_ptr<McpSession>& session) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& known) {
    const auto kept = known.lock();
    return kept == nullptr || kept == session;
  });
  sessions_.push_back(session);
}

// Returns a copy, so that messages are sent without the lock.
McpHub::Listeners McpHub::listeners() {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_,
                [](const auto& listener) { return listener->call->is_over(); });
  return listeners_;
}

std::vector<std::shared_ptr<McpSession>> McpHub::sessions() {
  std::vector<std::shared_ptr<McpSession>> alive;
  const std::lock_guard lock(mutex_);
  for (const auto& known : sessions_) {
    auto session = known.lock();
    if (session != nullptr && session->is_ready()) {
      alive.push_back(std::move(session));
    }
  }
  return alive;
}

void McpHub::publish_change(std::string_view method,
                            bool ListenFilter::*wanted) {
  for (const auto& listener : listeners()) {
    if (listener->filter.*wanted) {
      listener->call->send(with_subscription_id(*listener->call, method, ""));
    }
  }
  for (const auto& session : sessions()) {
    session->push(notification_message(method, ""));
  }
}

void McpHub::tools_changed() {
  publish_change("notifications/tools/list_changed", &ListenFilter::tools);
}

void McpHub::prompts_changed() {
  publish_change("notifications/prompts/list_changed", &ListenFilter::prompts);
}

void McpHub::resources_changed() {
  publish_change("notifications/resources/list_changed",
                 &ListenFilter::resources);
}

void McpHub::resource_updated(std::string_view uri) {
  constexpr std::string_view kMethod = "notifications/resources/updated";
  const auto member = [uri] { return R"("uri":)" + json_quoted(uri); };
  for (const auto& listener : listeners()) {
    if (listener->filter.uris.contains(uri)) {
      listener->call->send(
          with_subscription_id(*listener->call, kMethod, member()));
    }
  }
  for (const auto& session : sessions()) {
    if (session->is_subscribed(std::string(uri))) {
      session->push(notification_message(kMethod, "{" + member() + "}"));
    }
  }
}

void McpHub::resources_updated_below(std::string_view uri) {
  const std::string begin = std::string(uri) + "/";
  // A set, so that a URI with several subscribers is published once.
  std::set<std::string> wanted;
  const auto add = [&](const auto& uris) {
    for (const std::string& each : uris) {
      if (each.starts_with(begin)) wanted.insert(each);
    }
  };
  for (const auto& listener : listeners()) add(listener->filter.uris);
  for (const auto& session : sessions()) add(session->subscriptions());
  for (const std::string& each : wanted) resource_updated(each);
}

void McpHub::task_changed(std::string_view id, std::string_view task) {
  for (const auto& listener : listeners()) {
    if (listener->filter.tasks.contains(id)) {
      listener->call->send(
          with_subscription_id(*listener->call, "notifications/tasks", task));
    }
  }
}

std::size_t McpHub::listen_count() { return listeners().size(); }

bool McpHub::has_subscribers() {
  const bool is_listening =
      std::ranges::any_of(listeners(), [](const auto& listener) {
        return listener->filter.resources || !listener->filter.uris.empty();
      });
  return is_listening ||
         std::ranges::any_of(sessions(), [](const auto& session) {
           return session->has_subscriptions();
         });
}

void McpHub::stop() {
  Listeners ended;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    ended.swap(listeners_);
  }
  for (const auto& listener : ended) end_listening(*listener->call);
}

}  // namespace lamarck::mcp
