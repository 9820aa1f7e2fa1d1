// required, minProperties and maxProperties, dependentRequired, propertyNames,
// dependentSchemas.

#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

using Count = std::optional<std::size_t>;

class Required : public Keyword {
 public:
  explicit Required(std::vector<std::string> names)
      : names_(std::move(names)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    if (!validation.spend(names_.size())) return false;
    return validation.accepts_each(
        names_.begin(), names_.end(), [&](const auto name) {
          if (value.contains(*name)) return true;
          return validation.refuse("required", [&] {
            return fmt::format("The member {} is missing; add it.",
                               in_quotes(*name));
          });
        });
  }

 private:
  std::vector<std::string> names_;
};

class MemberCounts : public Keyword {
 public:
  MemberCounts(Count min, Count max) : min_(min), max_(max) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    const std::size_t size = value.size();
    if (min_.has_value() && size < *min_) {
      return refuse(size, validation, "minProperties", "at least", *min_);
    }
    if (max_.has_value() && size > *max_) {
      return refuse(size, validation, "maxProperties", "at most", *max_);
    }
    return true;
  }

 private:
  static bool refuse(std::size_t size, Validation& validation,
                     std::string_view keyword, std::string_view wanted,
                     std::size_t bound) {
    return validation.refuse(keyword, [&] {
      return fmt::format("The object has {} member{}; it must have {} {}.",
                         size, size == 1 ? "" : "s", wanted, bound);
    });
  }

  Count min_;
  Count max_;
};

class DependentRequired : public Keyword {
 public:
  using Rule = std::pair<std::string, std::vector<std::string>>;

  explicit DependentRequired(std::vector<Rule> rules)
      : rules_(std::move(rules)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    return validation.accepts_each(
        rules_.begin(), rules_.end(), [&](const auto rule) {
          if (!validation.spend(1 + rule->second.size())) return false;
          return !value.contains(rule->first) ||
                 has_needed(*rule, value, validation);
        });
  }

 private:
  static bool has_needed(const Rule& rule, const Json& value,
                         Validation& validation) {
    const auto& [member, needed] = rule;
    return validation.accepts_each(
        needed.begin(), needed.end(), [&, &member = member](const auto name) {
          if (value.contains(*name)) return true;
          return validation.refuse("dependentRequired", [&] {
            return fmt::format("The member {} is missing; {} requires it.",
                               in_quotes(*name), in_quotes(member));
          });
        });
  }

  std::vector<Rule> rules_;
};

class PropertyNames : public Keyword {
 public:
  explicit PropertyNames(SubschemaId wanted) : wanted_(wanted) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    return validation.accepts_each(
        value.begin(), value.end(), [&](const auto& member) {
          return accepts_name(member.key(), validation);
        });
  }

 private:
  // Applies the schema to the name as a string. Its reasons become part of one
  // message, because they have no path of their own.
  bool accepts_name(const Json& name, Validation& validation) const {
    ViolationList reasons;
    {
      const ReasonSink list(validation, &reasons);
      if (validation.accepts(wanted_, name, true)) return true;
    }
    return validation.refuse("propertyNames", [&] {
      return fmt::format("The member name {} is not allowed: {}.",
                         describe_value(name),
                         reasons.violations.empty()
                             ? "rename it"
                             : as_clause(reasons.violations.front().message));
    });
  }

  SubschemaId wanted_;
};

class DependentSchemas : public Keyword {
 public:
  explicit DependentSchemas(std::vector<NamedSubschema> rules)
      : rules_(std::move(rules)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    return validation.accepts_each(
        rules_.begin(), rules_.end(), [&](const auto rule) {
          if (!validation.spend(1)) return false;
          return !value.contains(rule->first) ||
                 validation.accepts(rule->second, value);
        });
  }

 private:
  std::vector<NamedSubschema> rules_;
};

}  // namespace

Result<KeywordPtr> make_required(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(auto names, builder.read_names("required"));
  if (names.empty()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Required>(std::move(names)));
}

Result<KeywordPtr> make_member_counts(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const Count min, builder.read_count("minProperties"));
  ASSIGN_OR_RETURN(const Count max, builder.read_count("maxProperties"));
  if (!min.has_value() && !max.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<MemberCounts>(min, max));
}

Result<KeywordPtr> make_dependent_required(SchemaBuilder& builder) {
  constexpr const char* kWanted = "an object of arrays of strings";
  const Json* value = builder.find("dependentRequired");
  if (value == nullptr) return KeywordPtr();
  if (!value->is_object()) {
    return builder.wrong_form("dependentRequired", kWanted, *value);
  }
  std::vector<DependentRequired::Rule> rules;
  for (const auto& [member, names] : value->items()) {
    std::vector<std::string> needed;
    for (const Json& name : names) {
      if (!names.is_array() || !name.is_string()) {
        return builder.wrong_form("dependentRequired", kWanted, name);
      }
      needed.push_back(name.get<std::string>());
    }
    rules.emplace_back(member, std::move(needed));
  }
  return KeywordPtr(std::make_unique<DependentRequired>(std::move(rules)));
}

Result<KeywordPtr> make_property_names(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto wanted, builder.read_schema("propertyNames"));
  if (!wanted.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<PropertyNames>(*wanted));
}

Result<KeywordPtr> make_dependent_schemas(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(auto rules, builder.read_named_schemas("dependentSchemas"));
  if (rules.empty()) return KeywordPtr();
  return KeywordPtr(std::make_unique<DependentSchemas>(std::move(rules)));
}

}  // namespace lamarck::schema
