// The SQL of webhooks, outbox, deliveries and tokens.

#pragma once

#include "lamarck/skills/internal/skill_sql.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::skills::internal {

Result<Webhook> insert_webhook(SkillSql& sql, Webhook webhook);
Result<std::vector<Webhook>> list_webhooks(SkillSql& sql, std::string_view org);
Result<void> delete_webhook(SkillSql& sql, std::string_view org,
                            std::string_view id);
// Writes the event and one delivery for each active webhook that wants it.
Result<void> insert_event(SkillSql& sql, OutboxEvent event);
// Whether `take_delivery` would find one.
Result<bool> has_due_delivery(SkillSql& sql);
Result<std::optional<Delivery>> take_delivery(SkillSql& sql,
                                              std::chrono::seconds lease);
Result<void> end_delivery(SkillSql& sql, std::string_view id, bool delivered,
                          std::string_view message,
                          std::chrono::seconds retry_after,
                          std::int64_t max_attempts);
Result<std::vector<SkillStore::DeliveryRow>> list_deliveries(
    SkillSql& sql, std::string_view org, std::size_t limit);

Result<TokenRecord> insert_token(SkillSql& sql, TokenRecord record,
                                 std::string_view token_hash);
Result<std::optional<TokenRecord>> find_token_row(SkillSql& sql,
                                                  std::string_view token_hash);
Result<bool> has_token_rows(SkillSql& sql);
Result<std::vector<TokenRecord>> list_tokens(SkillSql& sql,
                                             std::string_view org);
Result<void> delete_token(SkillSql& sql, std::string_view org,
                          std::string_view id);

}  // namespace lamarck::skills::internal
