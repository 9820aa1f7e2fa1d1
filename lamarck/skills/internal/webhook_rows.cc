#include "lamarck/skills/internal/webhook_rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"

namespace lamarck::skills::internal {
namespace {

Result<Webhook> webhook_row(const SkillQuery& row, int first) {
  Webhook webhook;
  webhook.id = row.text_at(first);
  webhook.org_id = row.text_at(first + 1);
  webhook.url = row.text_at(first + 2);
  webhook.secret = row.text_at(first + 3);
  ASSIGN_OR_RETURN(webhook.events, row.texts_at(first + 4));
  webhook.is_active = row.boolean_at(first + 5);
  webhook.created_at = row.time_at(first + 6);
  return webhook;
}

bool wants(const Webhook& webhook, const std::string& type) {
  return webhook.is_active &&
         (webhook.events.empty() ||
          std::find(webhook.events.begin(), webhook.events.end(), type) !=
              webhook.events.end());
}

TokenRecord token_row(const SkillQuery& row) {
  return {.id = row.text_at(0),
          .org_id = row.text_at(1),
          .role = row.text_at(2),
          .label = row.text_at(3),
          .created_at = row.time_at(4)};
}

}  // namespace

Result<Webhook> insert_webhook(SkillSql& sql, Webhook webhook) {
  webhook.id = sql.ids.next();
  webhook.created_at = sql.now;
  RETURN_IF_ERROR(
      sql.query("INSERT INTO webhooks (id, org_id, url, secret, events,"
                " is_active, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)")
          .id(webhook.id)
          .text(webhook.org_id)
          .text(webhook.url)
          .text(webhook.secret)
          .texts(webhook.events)
          .boolean(webhook.is_active)
          .time(sql.now)
          .run());
  return webhook;
}

Result<std::vector<Webhook>> list_webhooks(SkillSql& sql,
                                           std::string_view org) {
  SkillQuery row = sql.query(
      "SELECT id, org_id, url, secret, events, is_active, created_at"
      " FROM webhooks WHERE org_id = ? ORDER BY created_at, id");
  row.text(org);
  std::vector<Webhook> webhooks;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return webhooks;
    ASSIGN_OR_RETURN(Webhook webhook, webhook_row(row, 0));
    webhooks.push_back(std::move(webhook));
  }
}

Result<void> delete_webhook(SkillSql& sql, std::string_view org,
                            std::string_view id) {
  RETURN_IF_ERROR(sql.query("DELETE FROM webhooks WHERE org_id = ? AND id = ?")
                      .text(org)
                      .id(id)
                      .run());
  if (sql.changes() == 0) return missing("webhook", id);
  return sql
      .query(
          "UPDATE deliveries SET state = 'dead', message ="
          " 'The webhook was removed.' WHERE org_id = ? AND webhook_id = ?"
          " AND state = 'pending'")
      .text(org)
      .id(id)
      .run();
}

Result<void> insert_event(SkillSql& sql, OutboxEvent event) {
  if (event.id.empty()) event.id = sql.ids.next();
  RETURN_IF_ERROR(sql.query("INSERT INTO outbox (id, org_id, type, payload,"
                            " created_at) VALUES (?, ?, ?, ?, ?)")
                      .id(event.id)
                      .text(event.org_id)
                      .text(event.type)
                      .json(event.payload)
                      .time(sql.now)
                      .run());
  ASSIGN_OR_RETURN(const std::vector<Webhook> webhooks,
                   list_webhooks(sql, event.org_id));
  for (const Webhook& webhook : webhooks) {
    if (!wants(webhook, event.type)) continue;
    const std::string id = sql.ids.next();
    RETURN_IF_ERROR(
        sql.query("INSERT INTO deliveries (id, org_id, webhook_id, event_id,"
                  " due_at, created_at) VALUES (?, ?, ?, ?, ?, ?)")
            .id(id)
            .text(event.org_id)
            .id(webhook.id)
            .id(event.id)
            .time(sql.now)
            .time(sql.now)
            .run());
  }
  return {};
}

Result<bool> has_due_delivery(SkillSql& sql) {
  SkillQuery row = sql.query(
      "SELECT 1 FROM deliveries WHERE state = 'pending' AND due_at <= ?"
      " LIMIT 1");
  row.time(sql.now);
  return row.next();
}

Result<std::optional<Delivery>> take_delivery(SkillSql& sql,
                                              std::chrono::seconds lease) {
  std::optional<Delivery> delivery;
  {
    SkillQuery row = sql.query(
        "SELECT d.id, d.attempts, w.id, w.org_id, w.url, w.secret, w.events,"
        " w.is_active, w.created_at, e.id, e.type, e.payload, e.created_at"
        " FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id"
        " JOIN outbox e ON e.id = d.event_id"
        " WHERE d.state = 'pending' AND d.due_at <= ?"
        " ORDER BY d.due_at, d.id LIMIT 1");
    row.time(sql.now);
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return delivery;
    delivery.emplace();
    delivery->id = row.text_at(0);
    delivery->attempts = row.integer_at(1) + 1;
    ASSIGN_OR_RETURN(delivery->webhook, webhook_row(row, 2));
    delivery->event.id = row.text_at(9);
    delivery->event.org_id = delivery->webhook.org_id;
    delivery->event.type = row.text_at(10);
    ASSIGN_OR_RETURN(delivery->event.payload, row.json_at(11));
    delivery->event.created_at = row.time_at(12);
  }
  // A worker that dies leaves the delivery to others when the lease ends.
  RETURN_IF_ERROR(
      sql.query("UPDATE deliveries SET attempts = ?, due_at = ? WHERE id = ?")
          .integer(delivery->attempts)
          .time(sql.now + lease)
          .id(delivery->id)
          .run());
  return delivery;
}

Result<void> end_delivery(SkillSql& sql, std::string_view id, bool delivered,
                          std::string_view message,
                          std::chrono::seconds retry_after,
                          std::int64_t max_attempts) {
  RETURN_IF_ERROR(
      sql.query("UPDATE deliveries SET state = CASE WHEN ? THEN 'delivered'"
                " WHEN attempts >= ? THEN 'dead' ELSE 'pending' END,"
                " due_at = ?, message = ? WHERE id = ? AND state = 'pending'")
          .boolean(delivered)
          .integer(max_attempts)
          .time(sql.now + retry_after)
          .text_or_null(message)
          .id(id)
          .run());
  if (sql.changes() == 0) return missing("pending delivery", id);
  return {};
}

Result<std::vector<SkillStore::DeliveryRow>> list_deliveries(
    SkillSql& sql, std::string_view org, std::size_t limit) {
  SkillQuery row = sql.query(
      "SELECT d.id, d.webhook_id, e.type, d.state, d.attempts, d.message"
      " FROM deliveries d JOIN outbox e ON e.id = d.event_id"
      " WHERE d.org_id = ? ORDER BY d.created_at DESC, d.id DESC LIMIT ?");
  row.text(org).integer(static_cast<std::int64_t>(limit));
  std::vector<SkillStore::DeliveryRow> rows;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return rows;
    rows.push_back({.id = row.text_at(0),
                    .webhook_id = row.text_at(1),
                    .event_type = row.text_at(2),
                    .state = row.text_at(3),
                    .attempts = row.integer_at(4),
                    .message = row.text_at(5)});
  }
}

Result<TokenRecord> insert_token(SkillSql& sql, TokenRecord record,
                                 std::string_view token_hash) {
  if (record.role != "member" && record.role != "reviewer" &&
      record.role != "admin") {
    return invalid_argument(fmt::format(
        "role must be member, reviewer or admin, got '{}'.", record.role));
  }
  record.id = sql.ids.next();
  record.created_at = sql.now;
  RETURN_IF_ERROR(sql.query("INSERT INTO tokens (id, org_id, role, label,"
                            " token_hash, created_at)"
                            " VALUES (?, ?, ?, ?, ?, ?)")
                      .id(record.id)
                      .text(record.org_id)
                      .text(record.role)
                      .text(record.label)
                      .text(token_hash)
                      .time(sql.now)
                      .run());
  return record;
}

Result<std::optional<TokenRecord>> find_token_row(SkillSql& sql,
                                                  std::string_view token_hash) {
  SkillQuery row = sql.query(
      "SELECT id, org_id, role, label, created_at FROM tokens"
      " WHERE token_hash = ?");
  row.text(token_hash);
  ASSIGN_OR_RETURN(const bool found, row.next());
  if (!found) return std::optional<TokenRecord>();
  return std::optional<TokenRecord>(token_row(row));
}

Result<bool> has_token_rows(SkillSql& sql) {
  SkillQuery row = sql.query("SELECT 1 FROM tokens LIMIT 1");
  return row.next();
}

Result<std::vector<TokenRecord>> list_tokens(SkillSql& sql,
                                             std::string_view org) {
  SkillQuery row = sql.query(
      "SELECT id, org_id, role, label, created_at FROM tokens"
      " WHERE org_id = ? ORDER BY created_at, id");
  row.text(org);
  std::vector<TokenRecord> tokens;
  for (;;) {
    ASSIGN_OR_RETURN(const bool found, row.next());
    if (!found) return tokens;
    tokens.push_back(token_row(row));
  }
}

Result<void> delete_token(SkillSql& sql, std::string_view org,
                          std::string_view id) {
  RETURN_IF_ERROR(sql.query("DELETE FROM tokens WHERE org_id = ? AND id = ?")
                      .text(org)
                      .id(id)
                      .run());
  if (sql.changes() == 0) return missing("token", id);
  return {};
}

}  // namespace lamarck::skills::internal
