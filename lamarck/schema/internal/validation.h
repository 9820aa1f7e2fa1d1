// The validation of one instance against a compiled schema.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/json.h"
#include "lamarck/schema/internal/compiled_schema.h"
#include "lamarck/schema/json_schema.h"

namespace lamarck::schema {

struct ValidationLimits {
  std::size_t max_depth = 0;
  std::size_t max_steps = 0;
};

// Collects up to `max_count` violations.
struct ViolationList {
  std::size_t max_count = 1;
  std::vector<Violation> violations;

  bool is_full() const { return violations.size() >= max_count; }
};

// Describes a value for messages: "12", "\"red\"", "an array of 3 items".
std::string describe_value(const Json& value);

// Turns a sentence into a clause: lower-case first letter, no period.
std::string as_clause(std::string_view sentence);

class Validation {
 public:
  Validation(const CompiledSchema& schema, ValidationLimits limits,
             ViolationList* violations);

  // Applies a subschema to the current value. What it evaluates counts as
  // evaluated by the current subschema, unless `is_condition_only`.
  bool accepts(SubschemaId id, const Json& value,
               bool is_condition_only = false);
  // Applies a subschema to a member or item of the current value.
  bool accepts_member(SubschemaId id, const std::string& name,
                      const Json& member);
  bool accepts_item(SubschemaId id, std::size_t index, const Json& item);

  // The subschema that a `$dynamicRef` to the anchor resolves to here.
  SubschemaId dynamic_target(std::size_t anchor_name, SubschemaId fallback);

  // Reports that `keyword` rejects the current value and returns false.
  // `message` is a function, called only if the message is needed.
  template <class Message>
  bool refuse(std::string_view keyword, const Message& message) {
    if (violations_ != nullptr) add_violation(keyword, message());
    return false;
  }
  // Like `refuse`, for a member of the current value.
  template <class Message>
  bool refuse_member(std::string_view keyword, const std::string& name,
                     const Message& message) {
    path_.push_back({&name, 0});
    refuse(keyword, message);
    path_.pop_back();
    return false;
  }

  // Counts work that the number of subschemas does not bound. Returns false
  // once the limit is exceeded.
  bool spend(std::size_t units);
  // Ends the validation with an error: everything is rejected from now on.
  bool stop(Error error);
  bool has_stopped() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

  // No further violations are collected, so the first rejection decides.
  bool can_stop_early() const {
    return violations_ == nullptr || violations_->is_full() || has_stopped();
  }

  // Whether `accepts` returns true for each index or iterator in [first, last).
  // After a rejection, continues only to collect further violations.
  template <class At, class Accepts>
  bool accepts_each(At first, At last, const Accepts& accepts) const {
    bool is_accepted = true;
    for (At at = first; at != last; ++at) {
      if (accepts(at)) continue;
      is_accepted = false;
      if (can_stop_early()) break;
    }
    return is_accepted;
  }

  bool is_tracking() const { return frames_.back().evaluated != nullptr; }
  void mark_evaluated(const Json& child);
  bool is_evaluated(const Json& child) const;

 private:
  friend class ReasonSink;

  using Evaluated = std::unordered_set<const Json*>;  // Items and members.
  struct Frame {
    SubschemaId subschema = 0;
    const Json* value = nullptr;
    Evaluated* evaluated = nullptr;  // Null if not tracked.
  };
  struct PathToken {
    const std::string* name = nullptr;  // Null for an item.
    std::size_t index = 0;
  };

  bool apply(SubschemaId id, const Json& value, Evaluated* evaluated_outside);
  bool run_keywords(const Subschema& subschema, const Json& value);
  bool run_list(const std::vector<KeywordPtr>& keywords, const Json& value);
  bool may_enter(SubschemaId id, const Json& value);
  void add_violation(std::string_view keyword, std::string message);
  std::string instance_path() const;

  const CompiledSchema& schema_;
  ValidationLimits limits_;
  std::size_t units_left_;
  ViolationList* violations_;  // Null while violations are not collected.
  std::vector<Frame> frames_;
  std::vector<PathToken> path_;
  std::optional<Error> error_;
};

// Redirects violations to `list`, or drops them if it is null, while it lives.
class ReasonSink {
 public:
  ReasonSink(Validation& validation, ViolationList* list)
      : validation_(validation),
        previous_(std::exchange(validation.violations_, list)) {}
  ReasonSink(const ReasonSink&) = delete;
  ReasonSink& operator=(const ReasonSink&) = delete;
  ~ReasonSink() { validation_.violations_ = previous_; }

  // Whether violations were collected before.
  bool are_wanted() const { return previous_ != nullptr; }

 private:
  Validation& validation_;
  ViolationList* previous_;
};

}  // namespace lamarck::schema
