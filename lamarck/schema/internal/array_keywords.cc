// minItems and maxItems, uniqueItems, prefixItems and items, contains.

#include <optional>
#include <utility>
#include <vector>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/schema/internal/json_order.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

using Count = std::optional<std::size_t>;

constexpr std::size_t kMaxComparedDepth = 1000;

class ItemCounts : public Keyword {
 public:
  ItemCounts(Count min, Count max) : min_(min), max_(max) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_array()) return true;
    const std::size_t size = value.size();
    if (min_.has_value() && size < *min_) {
      return refuse(size, validation, "minItems", "at least", *min_);
    }
    if (max_.has_value() && size > *max_) {
      return refuse(size, validation, "maxItems", "at most", *max_);
    }
    return true;
  }

 private:
  static bool refuse(std::size_t size, Validation& validation,
                     std::string_view keyword, std::string_view wanted,
                     std::size_t bound) {
    return validation.refuse(keyword, [&] {
      return fmt::format("The array has {} item{}; it must have {} {}.", size,
                         size == 1 ? "" : "s", wanted, bound);
    });
  }

  Count min_;
  Count max_;
};

// Sorts the items to find duplicates. Comparing is recursive, hence the limit
// on the depth.
class UniqueItems : public Keyword {
 public:
  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_array() || value.size() < 2) return true;
    const JsonExtent extent = measure_extent(value, kMaxComparedDepth);
    if (!validation.spend(extent.value_count)) return false;
    if (extent.is_too_deep) {
      return validation.stop(
          {ErrorCode::BudgetExceeded,
           fmt::format("Cannot compare items that nest deeper than {} levels; "
                       "use a flatter value.",
                       kMaxComparedDepth)});
    }
    const auto equal = equal_items(value);
    if (!equal.has_value()) return true;
    return validation.refuse("uniqueItems", [&] {
      return fmt::format(
          "The items {} and {} are both {}; items must be unique.",
          equal->first, equal->second, describe_value(value[equal->first]));
    });
  }
};

// prefixItems applies to the first items, `items` to the others.
class Items : public Keyword {
 public:
  Items(std::vector<SubschemaId> first, std::optional<SubschemaId> others)
      : first_(std::move(first)), others_(others) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_array()) return true;
    const std::size_t count = others_.has_value()
                                  ? value.size()
                                  : std::min(value.size(), first_.size());
    return validation.accepts_each(std::size_t{0}, count, [&](std::size_t i) {
      const SubschemaId id = i < first_.size() ? first_[i] : *others_;
      validation.mark_evaluated(value[i]);
      return validation.accepts_item(id, i, value[i]);
    });
  }

 private:
  std::vector<SubschemaId> first_;
  std::optional<SubschemaId> others_;
};

class Contains : public Keyword {
 public:
  Contains(SubschemaId wanted, std::size_t min, Count max)
      : wanted_(wanted), min_(min), max_(max) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_array()) return true;
    const std::size_t count = count_matches(value, validation);
    if (count < min_) {
      return refuse(count, validation, min_ == 1 ? "contains" : "minContains",
                    "at least", min_);
    }
    if (max_.has_value() && count > *max_) {
      return refuse(count, validation, "maxContains", "at most", *max_);
    }
    return true;
  }

 private:
  std::size_t count_matches(const Json& array, Validation& validation) const {
    const ReasonSink silent(validation, nullptr);
    std::size_t count = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (!validation.accepts_item(wanted_, i, array[i])) continue;
      validation.mark_evaluated(array[i]);
      ++count;
      // Stop early, unless unevaluatedItems needs to know all matching items.
      if (count >= min_ && !max_.has_value() && !validation.is_tracking()) {
        break;
      }
    }
    return count;
  }

  static bool refuse(std::size_t count, Validation& validation,
                     std::string_view keyword, std::string_view wanted,
                     std::size_t bound) {
    return validation.refuse(keyword, [&] {
      return fmt::format(
          "The array has {} matching item{} for 'contains'; it must have {} "
          "{}.",
          count, count == 1 ? "" : "s", wanted, bound);
    });
  }

  SubschemaId wanted_;
  std::size_t min_;
  Count max_;
};

}  // namespace

Result<KeywordPtr> make_item_counts(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const Count min, builder.read_count("minItems"));
  ASSIGN_OR_RETURN(const Count max, builder.read_count("maxItems"));
  if (!min.has_value() && !max.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<ItemCounts>(min, max));
}

Result<KeywordPtr> make_unique_items(SchemaBuilder& builder) {
  const Json* value = builder.find("uniqueItems");
  if (value == nullptr) return KeywordPtr();
  if (!value->is_boolean()) {
    return builder.wrong_form("uniqueItems", "true or false", *value);
  }
  if (!value->get<bool>()) return KeywordPtr();
  return KeywordPtr(std::make_unique<UniqueItems>());
}

Result<KeywordPtr> make_items(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(auto first, builder.read_schemas("prefixItems"));
  ASSIGN_OR_RETURN(const auto others, builder.read_schema("items"));
  if (first.empty() && !others.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Items>(std::move(first), others));
}

Result<KeywordPtr> make_contains(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto wanted, builder.read_schema("contains"));
  ASSIGN_OR_RETURN(const Count min, builder.read_count("minContains"));
  ASSIGN_OR_RETURN(const Count max, builder.read_count("maxContains"));
  if (!wanted.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Contains>(*wanted, min.value_or(1), max));
}

}  // namespace lamarck::schema
