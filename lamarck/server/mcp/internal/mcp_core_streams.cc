// The methods for changes on the server: subscriptions, logging, listening and
// tasks.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_bad_params.h"
#include "lamarck/server/mcp/internal/mcp_core.h"
#include "lamarck/server/mcp/internal/mcp_resource_failure.h"

namespace lamarck::mcp {
namespace {

bool is_wanted(const Json& wishes, std::string_view name) {
  const Json* wish = find_member(wishes, name);
  return wish != nullptr && *wish == true;
}

// An empty set if the member is missing; nullopt if it is not a list of
// strings.
std::optional<std::set<std::string, std::less<>>> read_names(
    const Json& wishes, std::string_view name) {
  std::set<std::string, std::less<>> names;
  const Json* list = find_member(wishes, name);
  if (list == nullptr) return names;
  if (!list->is_array()) return std::nullopt;
  for (const Json& item : *list) {
    if (!item.is_string()) return std::nullopt;
    names.insert(item.get<std::string>());
  }
  return names;
}

Failure unknown_task(std::string_view id) {
  return bad_params("Unknown task " + in_quotes(id) + "; it may have expired.");
}

Failure too_many_subscriptions() {
  return bad_params("A client can subscribe to at most " +
                    std::to_string(McpSession::kMaxSubscriptions) +
                    " resources and tasks; unsubscribe from some first.");
}

}  // namespace

bool McpCore::is_looked_up(const std::string& uri) const {
  const auto source = catalog_->find_source(uri);
  return source.has_value() && source->family != nullptr &&
         source->family->check;
}

std::optional<Failure> McpCore::check_address(Era era,
                                              const std::string& uri) const {
  const auto source = catalog_->find_source(uri);
  if (!source.has_value()) return unknown_resource(era, uri);
  if (source->family == nullptr || !source->family->check) return std::nullopt;
  const auto checked = source->family->check(source->values);
  if (checked.has_value()) return std::nullopt;
  return resource_failure(era, checked.error(), uri);
}

void McpCore::subscribe(const std::shared_ptr<McpCall>& call) {
  const std::string* uri = find_string(*call->message().params, "uri");
  if (uri == nullptr) {
    return call->finish_failure(missing_param("uri", "a string"));
  }
  HandlerRun run{call,
                 [this, call, uri](CallContext& context) -> Outcome {
                   auto wrong = check_address(context.era(), *uri);
                   if (wrong.has_value()) return *std::move(wrong);
                   if (call->session()->subscribe(*uri)) return Complete{"{}"};
                   return too_many_subscriptions();
                 },
                 "", nullptr};
  if (call->may_block() || !is_looked_up(*uri)) {
    return runner_.run_here(std::move(run));
  }
  runner_.run_elsewhere(std::move(run));
}

void McpCore::unsubscribe(McpCall& call) {
  const std::string* uri = find_string(*call.message().params, "uri");
  if (uri == nullptr) {
    return call.finish_failure(missing_param("uri", "a string"));
  }
  call.session()->unsubscribe(*uri);
  finish_empty(call);
}

void McpCore::set_log_level(McpCall& call) {
  const std::string* name = find_string(*call.message().params, "level");
  const auto level = name == nullptr ? std::nullopt : parse_log_level(*name);
  if (!level.has_value()) {
    return call.finish_failure(
        missing_param("level", "one of debug to emergency"));
  }
  call.session()->set_log_level(*level);
  finish_empty(call);
}

void McpCore::listen(const std::shared_ptr<McpCall>& call) {
  const Json* wishes = find_member(*call->message().params, "notifications");
  if (wishes == nullptr || !wishes->is_object()) {
    return call->finish_failure(missing_param("notifications", "an object"));
  }
  auto uris = read_names(*wishes, "resourceSubscriptions");
  auto tasks = read_names(*wishes, "taskIds");
  if (!uris.has_value() || !tasks.has_value()) {
    return call->finish_failure(bad_params(
        "resourceSubscriptions and taskIds must be arrays of strings."));
  }
  if (uris->size() + tasks->size() > McpSession::kMaxSubscriptions) {
    return call->finish_failure(too_many_subscriptions());
  }
  if (!tasks->empty() && !call->client().tasks) {
    return call->finish_failure(missing_tasks());
  }
  const bool has_resources = catalog_->has(McpFeature::Resources);
  if (!has_resources) uris->clear();
  const ListenFilter filter{
      is_wanted(*wishes, "toolsListChanged") &&
          catalog_->has(McpFeature::Tools),
      is_wanted(*wishes, "promptsListChanged") &&
          catalog_->has(McpFeature::Prompts),
      is_wanted(*wishes, "resourcesListChanged") && has_resources,
      *std::move(uris), *std::move(tasks)};
  const auto answer = [this, call, filter] {
    for (const std::string& uri : filter.uris) {
      const auto wrong = check_address(call->era(), uri);
      if (wrong.has_value()) return call->finish_failure(*wrong);
    }
    hub_.listen(call, filter);
  };
  // Only URIs that are looked up in the journal can block.
  const bool may_wait = std::ranges::any_of(
      filter.uris, [this](const auto& uri) { return is_looked_up(uri); });
  if (may_wait) return runner_.post(call, answer);
  answer();
}

void McpCore::read_task(const std::shared_ptr<McpCall>& call) {
  const std::string* id = find_string(*call->message().params, "taskId");
  if (id == nullptr) {
    return call->finish_failure(missing_param("taskId", "a string"));
  }
  const auto finish = [this, call](const std::string& members) {
    call->finish_result(R"({"resultType":"complete",)" + members + "," +
                        catalog_->meta() + "}");
  };
  // Tasks of this process are in memory. Others are in the journal, which may
  // block.
  if (const auto found = tasks_.find(*id)) return finish(*found);
  runner_.post(call, [this, call, id, finish] {
    if (const auto found = tasks_.find_recorded(*id)) return finish(*found);
    call->finish_failure(unknown_task(*id));
  });
}

void McpCore::update_task(const std::shared_ptr<McpCall>& call) {
  const Json& params = *call->message().params;
  const std::string* id = find_string(params, "taskId");
  const Json* answers = find_member(params, "inputResponses");
  if (id == nullptr || answers == nullptr || !answers->is_object()) {
    return call->finish_failure(
        missing_param("taskId and inputResponses", "a string and an object"));
  }
  if (tasks_.update(*id, call->message())) return finish_empty(*call);
  runner_.post(call, [this, call, id] {
    if (tasks_.find_recorded(*id).has_value()) return finish_empty(*call);
    call->finish_failure(unknown_task(*id));
  });
}

void McpCore::cancel_task(const std::shared_ptr<McpCall>& call) {
  const std::string* id = find_string(*call->message().params, "taskId");
  if (id == nullptr) {
    return call->finish_failure(missing_param("taskId", "a string"));
  }
  runner_.post(call, [this, call, id] {
    if (tasks_.cancel(*id) || tasks_.find_recorded(*id).has_value()) {
      return finish_empty(*call);
    }
    call->finish_failure(unknown_task(*id));
  });
}

}  // namespace lamarck::mcp
