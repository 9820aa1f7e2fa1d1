// The routes of webhooks.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/server/webhooks/webhook_address.h"
#include "lamarck/server/webhooks/webhook_events.h"
#include "lamarck/server/webhooks/webhook_signature.h"

namespace lamarck::server {
namespace {

// Without the secret.
Json webhook_json(const skills::Webhook& webhook) {
  return {{"id", webhook.id},
          {"url", webhook.url},
          {"events", webhook.events},
          {"is_active", webhook.is_active},
          {"created_at", to_iso8601(webhook.created_at)}};
}

Result<void> check_event(const std::string& event) {
  const bool is_known = std::ranges::any_of(
      kWebhookEvents,
      [&](const WebhookEventEntry& entry) { return entry.type == event; });
  if (is_known) return {};
  std::string known;
  for (const WebhookEventEntry& entry : kWebhookEvents) {
    known += (known.empty() ? "" : ", ") + std::string(entry.type);
  }
  return invalid_argument("Unknown event " + in_quotes(event) + "; use " +
                          known + ".");
}

Result<Json> list_webhooks(const RouteCall& call) {
  ASSIGN_OR_RETURN(const auto webhooks, call.store().webhooks(call.org()));
  Json items = Json::array();
  for (const skills::Webhook& webhook : webhooks) {
    items.push_back(webhook_json(webhook));
  }
  return Json{{"items", std::move(items)}};
}

Result<Json> create_webhook(const RouteCall& call) {
  ASSIGN_OR_RETURN(
      const WebhookUrl url,
      parse_webhook_url(get_text(call.body, "url"),
                        call.service.webhook_options().allows_private));
  skills::Webhook webhook;
  webhook.org_id = call.org();
  webhook.url = url.url;
  webhook.secret = make_webhook_secret();
  webhook.events = get_texts(call.body, "events");
  for (const std::string& event : webhook.events) {
    RETURN_IF_ERROR(check_event(event));
  }
  ASSIGN_OR_RETURN(const skills::Webhook added,
                   call.store().add_webhook(webhook));
  Json data = webhook_json(added);
  data["secret"] = webhook.secret;
  return data;
}

Result<Json> remove_webhook(const RouteCall& call) {
  RETURN_IF_ERROR(call.store().remove_webhook(call.org(), call.id()));
  return Json{{"id", call.id()}, {"removed", true}};
}

Result<Json> list_deliveries(const RouteCall& call) {
  ASSIGN_OR_RETURN(const auto rows,
                   call.store().deliveries(call.org(), limit_of(call)));
  Json items = Json::array();
  for (const skills::SkillStore::DeliveryRow& row : rows) {
    items.push_back({{"id", row.id},
                     {"webhook_id", row.webhook_id},
                     {"event_type", row.event_type},
                     {"state", row.state},
                     {"attempts", row.attempts},
                     {"message", row.message}});
  }
  return Json{{"items", std::move(items)}};
}

constexpr std::array kWebhookRoutes = {
    Route{.method = "GET",
          .path = "/webhooks",
          .operation = "list_webhooks",
          .summary = "List the webhooks of the organization.",
          .role = Role::Admin,
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/Webhook"}}}})",
          .handle = list_webhooks},
    Route{.method = "POST",
          .path = "/webhooks",
          .operation = "create_webhook",
          .summary = "Send events to a URL; without `events`, all of them.",
          .role = Role::Admin,
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["url"], "properties": {
              "url": {"type": "string", "minLength": 1, "maxLength": 2000},
              "events": {"type": "array", "maxItems": 20,
                "items": {"type": "string"}}}})",
          .response = R"({"$ref": "#/components/schemas/Webhook"})",
          .status = 201,
          .handle = create_webhook},
    Route{.method = "DELETE",
          .path = "/webhooks/{id}",
          .operation = "remove_webhook",
          .summary = "Remove a webhook.",
          .role = Role::Admin,
          .response = R"({"type": "object", "required": ["id", "removed"],
            "properties": {"id": {"type": "string"},
              "removed": {"const": true}}})",
          .handle = remove_webhook},
    Route{.method = "GET",
          .path = "/webhook-deliveries",
          .operation = "list_deliveries",
          .summary = "List the deliveries of webhooks, newest first.",
          .role = Role::Admin,
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"limit": {"type": "integer", "minimum": 1,
              "maximum": 100, "default": 20}}})",
          .response = R"({"type": "object", "required": ["items"],
            "properties": {"items": {"type": "array",
              "items": {"$ref": "#/components/schemas/Delivery"}}}})",
          .handle = list_deliveries},
};

}  // namespace

std::span<const Route> webhook_routes() { return kWebhookRoutes; }

}  // namespace lamarck::server
