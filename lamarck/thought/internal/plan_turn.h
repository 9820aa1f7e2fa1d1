// A plan is handed in: its type, its review, and the events of that.

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
  std::optional<double> success_rate;  // Of plans of that type.
  std::int64_t token_cost = 0;
  bool is_by_engine = false;
};

// What the plan is to be like: built in, registered here, or by `schema`.
Result<PlanType> plan_type_of(const Session& session,
                              const std::string& plan_type,
                              const std::string& schema);

// An object, not too large.
Result<Json> parse_plan(std::string_view plan);

// The review as the branch's events: it is then validated or rejected, and a
// rejected plan gets a critique that says what to change. Fails, with nothing
// added, where the branch takes no plan now.
Result<Json> add_validation(Turn& turn, const PlanOffer& offer);

}  // namespace lamarck::thought::internal
