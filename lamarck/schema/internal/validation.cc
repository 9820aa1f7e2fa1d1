#include "lamarck/schema/internal/validation.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/unicode.h"
#include "lamarck/schema/internal/json_pointer.h"

namespace lamarck::schema {
namespace {

constexpr std::size_t kUnitsPerStep = 16;  // A step applies one subschema.
constexpr std::size_t kShownCharacters = 60;

}  // namespace

std::string describe_value(const Json& value) {
  if (value.is_array()) {
    return value.empty() ? "an empty array"
                         : fmt::format("an array of {} item{}", value.size(),
                                       value.size() == 1 ? "" : "s");
  }
  if (value.is_object()) {
    return value.empty() ? "an empty object"
                         : fmt::format("an object of {} member{}", value.size(),
                                       value.size() == 1 ? "" : "s");
  }
  if (!value.is_string()) return dump_json(value);
  return dump_json(truncate_characters(value.get_ref<const std::string&>(),
                                       kShownCharacters));
}

std::string as_clause(std::string_view sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  std::string clause(sentence);
  if (clause.starts_with("The ")) clause[0] = 't';
  return clause;
}

Validation::Validation(const CompiledSchema& schema, ValidationLimits limits,
                       ViolationList* violations)
    : schema_(schema),
      limits_(limits),
      units_left_(limits.max_steps * kUnitsPerStep),
      violations_(violations) {
  frames_.reserve(32);
}

// Subschemas of the same value share its set of evaluated members; a condition
// (`not`, propertyNames) contributes nothing.
bool Validation::accepts(SubschemaId id, const Json& value,
                         bool is_condition_only) {
  Evaluated* const outer =
      frames_.empty() || is_condition_only ? nullptr : frames_.back().evaluated;
  return apply(id, value, outer);
}

bool Validation::accepts_member(SubschemaId id, const std::string& name,
                                const Json& member) {
  path_.push_back({&name, 0});
  const bool is_accepted = apply(id, member, nullptr);
  path_.pop_back();
  return is_accepted;
}

bool Validation::accepts_item(SubschemaId id, std::size_t index,
                              const Json& item) {
  path_.push_back({nullptr, index});
  const bool is_accepted = apply(id, item, nullptr);
  path_.pop_back();
  return is_accepted;
}

SubschemaId Validation::dynamic_target(std::size_t anchor_name,
                                       SubschemaId fallback) {
  spend(frames_.size());
  // The outermost resource with this anchor wins.
  for (const Frame& frame : frames_) {
    const std::size_t resource = schema_.subschemas[frame.subschema].resource;
    for (const auto& anchor : schema_.dynamic_anchors[resource]) {
      if (anchor.name == anchor_name) return anchor.target;
    }
  }
  return fallback;
}

bool Validation::apply(SubschemaId id, const Json& value,
                       Evaluated* outer_evaluated) {
  const Subschema& subschema = schema_.subschemas[id];
  if (!spend(kUnitsPerStep)) return false;
  if (subschema.is_always()) return true;
  if (!may_enter(id, value)) return false;
  // A rejected subschema evaluates nothing, so collect in a separate set and
  // merge it on success.
  Evaluated evaluated;
  const bool is_tracked =
      outer_evaluated != nullptr || !subschema.unevaluated_keywords.empty();
  frames_.push_back({id, &value, is_tracked ? &evaluated : nullptr});
  const bool is_accepted = run_keywords(subschema, value);
  frames_.pop_back();
  if (is_accepted && outer_evaluated != nullptr) {
    spend(evaluated.size());
    outer_evaluated->merge(evaluated);
  }
  return is_accepted && !has_stopped();
}

bool Validation::run_keywords(const Subschema& subschema, const Json& value) {
  if (subschema.is_never) {
    return refuse("", [&] {
      return fmt::format("The value {} is not allowed here; remove it.",
                         describe_value(value));
    });
  }
  return run_list(subschema.keywords, value) &&
         run_list(subschema.unevaluated_keywords, value);
}

bool Validation::run_list(const std::vector<KeywordPtr>& keywords,
                          const Json& value) {
  return accepts_each(
      keywords.begin(), keywords.end(),
      [&](const auto keyword) { return (*keyword)->accepts(value, *this); });
}

bool Validation::may_enter(SubschemaId id, const Json& value) {
  if (frames_.size() >= limits_.max_depth) {
    return stop({ErrorCode::BudgetExceeded,
                 fmt::format("The value needs more than {} nested subschemas; "
                             "use a flatter value.",
                             limits_.max_depth)});
  }
  // The same subschema on the same value again would recurse forever.
  for (auto frame = frames_.rbegin();
       frame != frames_.rend() && frame->value == &value; ++frame) {
    if (frame->subschema != id) continue;
    return stop({ErrorCode::InvalidArgument,
                 fmt::format("The schema at '{}' refers to itself without "
                             "descending into the value; break the cycle.",
                             schema_.subschemas[id].location)});
  }
  return true;
}

bool Validation::spend(std::size_t units) {
  if (has_stopped()) return false;
  if (units > units_left_) {
    return stop({ErrorCode::BudgetExceeded,
                 fmt::format("Validation needs more than {} steps; use a "
                             "smaller value or a simpler schema.",
                             limits_.max_steps)});
  }
  units_left_ -= units;
  return true;
}

bool Validation::stop(Error error) {
  if (!error_.has_value()) error_ = std::move(error);
  return false;
}

void Validation::mark_evaluated(const Json& child) {
  if (is_tracking()) frames_.back().evaluated->insert(&child);
}

bool Validation::is_evaluated(const Json& child) const {
  return is_tracking() && frames_.back().evaluated->contains(&child);
}

void Validation::add_violation(std::string_view keyword, std::string message) {
  if (violations_->is_full()) return;
  std::string place = schema_.subschemas[frames_.back().subschema].location;
  if (!keyword.empty()) place += pointer_token(keyword);
  violations_->violations.push_back(
      {instance_path(), std::move(place), std::move(message)});
}

std::string Validation::instance_path() const {
  std::string path;
  for (const PathToken& token : path_) {
    path += token.name == nullptr ? "/" + std::to_string(token.index)
                                  : pointer_token(*token.name);
  }
  return path;
}

}  // namespace lamarck::schema
