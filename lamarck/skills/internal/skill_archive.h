// Copies all rows of a skill store.

#pragma once

#include <cstdint>
#include <functional>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/internal/skill_sql.h"

namespace lamarck::skills::internal {

// Passes each row to `write` as {"record": TABLE, COLUMN: VALUE...}, referenced
// rows first. Returns their number.
Result<std::uint64_t> export_rows(
    SkillSql& sql, const std::function<Result<void>(const Json&)>& write);

// Inserts an exported row. Fails with DataDamaged for other records.
Result<void> import_row(SkillSql& sql, const Json& record);

// Whether there are no rows.
Result<bool> is_empty_store(SkillSql& sql);

}  // namespace lamarck::skills::internal
