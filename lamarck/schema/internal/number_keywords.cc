// minimum, maximum, their exclusive forms, and multipleOf.

#include <compare>
#include <utility>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/schema/internal/exact_number.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

// One of the four range keywords.
struct BoundKind {
  const char* keyword;
  bool (*holds)(std::partial_ordering value_to_bound);
  const char* wanted;  // For messages: "at least".
};

constexpr BoundKind kMinimum = {
    "minimum", [](std::partial_ordering order) { return order >= 0; },
    "at least"};
constexpr BoundKind kExclusiveMinimum = {
    "exclusiveMinimum", [](std::partial_ordering order) { return order > 0; },
    "more than"};
constexpr BoundKind kMaximum = {
    "maximum", [](std::partial_ordering order) { return order <= 0; },
    "at most"};
constexpr BoundKind kExclusiveMaximum = {
    "exclusiveMaximum", [](std::partial_ordering order) { return order < 0; },
    "less than"};

class Bound : public Keyword {
 public:
  Bound(const BoundKind& kind, Json bound)
      : kind_(kind), bound_(std::move(bound)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_number()) return true;
    if (kind_.holds(compare_numbers(value, bound_))) return true;
    return validation.refuse(kind_.keyword, [&] {
      return fmt::format("The number {} is out of range; it must be {} {}.",
                         dump_json(value), kind_.wanted, dump_json(bound_));
    });
  }

 private:
  const BoundKind& kind_;
  Json bound_;
};

class MultipleOf : public Keyword {
 public:
  explicit MultipleOf(Json divisor) : divisor_(std::move(divisor)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_number() || is_multiple_of(value, divisor_)) return true;
    return validation.refuse("multipleOf", [&] {
      return fmt::format("The number {} must be a multiple of {}.",
                         dump_json(value), dump_json(divisor_));
    });
  }

 private:
  Json divisor_;
};

Result<KeywordPtr> make_bound(SchemaBuilder& builder, const BoundKind& kind) {
  ASSIGN_OR_RETURN(const auto bound, builder.read_number(kind.keyword));
  if (!bound.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Bound>(kind, *bound));
}

}  // namespace

Result<KeywordPtr> make_minimum(SchemaBuilder& builder) {
  return make_bound(builder, kMinimum);
}

Result<KeywordPtr> make_exclusive_minimum(SchemaBuilder& builder) {
  return make_bound(builder, kExclusiveMinimum);
}

Result<KeywordPtr> make_maximum(SchemaBuilder& builder) {
  return make_bound(builder, kMaximum);
}

Result<KeywordPtr> make_exclusive_maximum(SchemaBuilder& builder) {
  return make_bound(builder, kExclusiveMaximum);
}

Result<KeywordPtr> make_multiple_of(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto divisor, builder.read_number("multipleOf"));
  if (!divisor.has_value()) return KeywordPtr();
  if (!(compare_numbers(*divisor, Json(0)) > 0)) {
    return builder.wrong_form("multipleOf", "a positive number", *divisor);
  }
  return KeywordPtr(std::make_unique<MultipleOf>(*divisor));
}

}  // namespace lamarck::schema
