// Submits a plan: finds its type, reviews it and records the result.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/thought/internal/turn.h"
#include "lamarck/thought/plan_check.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

struct PlanOffer {
  std::string branch;  // Its id.
  std::string plan_type;
  std::string plan;                    // JSON object.
  std::string schema;                  // As in PlanValidation.
  std::optional<double> success_rate;  // Among plans of that type.
  std::int64_t token_cost = 0;
  bool is_by_engine = false;
};

// Returns the built-in type, the type registered in this session, or a new one
// with `schema`.
Result<PlanType> find_plan_type(const Session& session,
                                const std::string& plan_type,
                                const std::string& schema);

// Requires a JSON object of at most 256 KiB.
Result<Json> parse_plan(std::string_view plan);

// Reviews the plan and adds the events to its branch, which is then validated
// or rejected. A rejected plan also gets a critique with suggestions. If the
// branch does not accept a plan in its state, fails and adds nothing.
Result<Json> add_validation(Turn& turn, const PlanOffer& offer);

}  // namespace lamarck::thought::internal
