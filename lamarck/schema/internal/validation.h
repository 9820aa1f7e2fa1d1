// One instance on its way through a compiled schema.

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

// Where reasons go, up to `max_count` of them.
struct ViolationList {
  std::size_t max_count = 1;
  std::vector<Violation> violations;

  bool is_full() const { return violations.size() >= max_count; }
};

// "12", "\"red\"", "an array of 3 items".
std::string describe_value(const Json& value);

// A sentence as a part of another: its first letter small, no full stop.
std::string as_clause(std::string_view sentence);

class Validation {
 public:
  Validation(const CompiledSchema& schema, ValidationLimits limits,
             ViolationList* violations);

  // Applies a subschema to the value at hand. What it evaluates counts as
  // evaluated by the subschema at work, unless `is_condition_only`.
  bool accepts(SubschemaId id, const Json& value,
               bool is_condition_only = false);
  // Likewise to a member or an item of it.
  bool accepts_member(SubschemaId id, const std::string& name,
                      const Json& member);
  bool accepts_item(SubschemaId id, std::size_t index, const Json& item);

  // The subschema that a `$dynamicRef` to the anchor means here.
  SubschemaId dynamic_target(std::size_t anchor_name, SubschemaId otherwise);

  // Notes why `keyword` refuses the value at hand; `message` is a function, so
  // that nobody pays for words that nobody reads. Returns false.
  template <class Message>
  bool refuse(std::string_view keyword, const Message& message) {
    if (violations_ != nullptr) note(keyword, message());
    return false;
  }
  // Likewise about a member of the value.
  template <class Message>
  bool refuse_member(std::string_view keyword, const std::string& name,
                     const Message& message) {
    path_.push_back({&name, 0});
    refuse(keyword, message);
    path_.pop_back();
    return false;
  }

  // Counts work of a size that no subschema bounds; false if it is too much.
  bool spend(std::size_t units);
  // Gives up: nothing is accepted any more.
  bool stop(Error error);
  bool has_stopped() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

  // Nobody reads further reasons, so the first refusal is enough.
  bool is_answer_enough() const {
    return violations_ == nullptr || violations_->is_full() || has_stopped();
  }

  // Whether `accepts` says yes to each index or iterator from `first` up to
  // `last`. After a no it goes on for the sake of further reasons only.
  template <class At, class Accepts>
  bool accepts_each(At first, At last, const Accepts& accepts) const {
    bool is_accepted = true;
    for (At at = first; at != last; ++at) {
      if (accepts(at)) continue;
      is_accepted = false;
      if (is_answer_enough()) break;
    }
    return is_accepted;
  }

  bool is_tracking() const { return frames_.back().evaluated != nullptr; }
  void mark_evaluated(const Json& child);
  bool is_evaluated(const Json& child) const;

 private:
  friend class ReasonsTo;

  using Evaluated = std::unordered_set<const Json*>;  // Items and members.
  struct Frame {
    SubschemaId subschema = 0;
    const Json* value = nullptr;
    Evaluated* evaluated = nullptr;  // Null where nobody asks.
  };
  struct PathToken {
    const std::string* name = nullptr;  // Null for an item.
    std::size_t index = 0;
  };

  bool apply(SubschemaId id, const Json& value, Evaluated* evaluated_outside);
  bool run_keywords(const Subschema& subschema, const Json& value);
  bool run_list(const std::vector<KeywordPtr>& keywords, const Json& value);
  bool may_enter(SubschemaId id, const Json& value);
  void note(std::string_view keyword, std::string message);
  std::string instance_path() const;

  const CompiledSchema& schema_;
  ValidationLimits limits_;
  std::size_t units_left_;
  ViolationList* violations_;  // Null while only the answer counts.
  std::vector<Frame> frames_;
  std::vector<PathToken> path_;
  std::optional<Error> error_;
};

// While it lives, reasons go to `list`, or nowhere if it is null.
class ReasonsTo {
 public:
  ReasonsTo(Validation& validation, ViolationList* list)
      : validation_(validation),
        before_(std::exchange(validation.violations_, list)) {}
  ReasonsTo(const ReasonsTo&) = delete;
  ReasonsTo& operator=(const ReasonsTo&) = delete;
  ~ReasonsTo() { validation_.violations_ = before_; }

  // Whether somebody wanted reasons before.
  bool are_wanted() const { return before_ != nullptr; }

 private:
  Validation& validation_;
  ViolationList* before_;
};

}  // namespace lamarck::schema
