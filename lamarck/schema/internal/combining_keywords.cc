// $ref and $dynamicRef, allOf, anyOf, oneOf, not, and if with then and else.

#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/unicode.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

class Reference : public Keyword {
 public:
  explicit Reference(SubschemaId target) : target_(target) {}

  bool accepts(const Json& value, Validation& validation) const override {
    return validation.accepts(target_, value);
  }

 private:
  SubschemaId target_;
};

// Resolved at validation time: the target depends on the schemas through which
// the value was reached.
class DynamicRef : public Keyword {
 public:
  DynamicRef(std::size_t anchor_name, SubschemaId fallback)
      : anchor_name_(anchor_name), fallback_(fallback) {}

  bool accepts(const Json& value, Validation& validation) const override {
    return validation.accepts(
        validation.dynamic_target(anchor_name_, fallback_), value);
  }

 private:
  std::size_t anchor_name_;
  SubschemaId fallback_;
};

class AllOf : public Keyword {
 public:
  explicit AllOf(std::vector<SubschemaId> ids) : ids_(std::move(ids)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    return validation.accepts_each(
        ids_.begin(), ids_.end(),
        [&](const auto id) { return validation.accepts(*id, value); });
  }

 private:
  std::vector<SubschemaId> ids_;
};

// Collects why the first alternatives rejected a value: ": (1) the value ...,
// (2) ...".
class Reasons {
 public:
  // Returns whether the subschema accepts; if not, keeps its first reason.
  bool accepts(SubschemaId id, const Json& value, Validation& validation) {
    ViolationList reasons;
    const ReasonSink list(validation, nullptr);
    ++count_;
    if (!list.are_wanted() || count_ > kMaxShown) {
      return validation.accepts(id, value);
    }
    const ReasonSink shown(validation, &reasons);
    if (validation.accepts(id, value)) return true;
    if (!reasons.violations.empty()) add(reasons.violations.front());
    return false;
  }

  std::string text() const { return text_; }

 private:
  static constexpr std::size_t kMaxShown = 3;

  void add(const Violation& violation) {
    const std::string place =
        violation.instance_path.empty() ? "" : " at " + violation.instance_path;
    text_ +=
        fmt::format("{} ({}){} {}", text_.empty() ? ":" : ",", count_, place,
                    truncate_characters(as_clause(violation.message), 160));
  }

  std::size_t count_ = 0;
  std::string text_;
};

class AnyOf : public Keyword {
 public:
  explicit AnyOf(std::vector<SubschemaId> ids) : ids_(std::move(ids)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    Reasons reasons;
    bool is_accepted = false;
    for (const SubschemaId id : ids_) {
      // While tracking, run all alternatives: each may evaluate other members.
      is_accepted |= reasons.accepts(id, value, validation);
      if (is_accepted && !validation.is_tracking()) break;
    }
    if (is_accepted) return true;
    return validation.refuse("anyOf", [&] {
      return fmt::format("The value {} matches none of the {} alternatives{}.",
                         describe_value(value), ids_.size(), reasons.text());
    });
  }

 private:
  std::vector<SubschemaId> ids_;
};

class OneOf : public Keyword {
 public:
  explicit OneOf(std::vector<SubschemaId> ids) : ids_(std::move(ids)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    Reasons reasons;
    // Two matches are enough to reject the value.
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < ids_.size() && matching.size() < 2; ++i) {
      if (reasons.accepts(ids_[i], value, validation)) {
        matching.push_back(i + 1);
      }
    }
    if (matching.size() == 1) return true;
    return validation.refuse("oneOf", [&] {
      if (matching.empty()) {
        return fmt::format(
            "The value {} matches none of the {} alternatives{}.",
            describe_value(value), ids_.size(), reasons.text());
      }
      return fmt::format(
          "The value {} matches alternatives {} and {}; it must match exactly "
          "one of {}.",
          describe_value(value), matching[0], matching[1], ids_.size());
    });
  }

 private:
  std::vector<SubschemaId> ids_;
};

class Not : public Keyword {
 public:
  explicit Not(SubschemaId id) : id_(id) {}

  bool accepts(const Json& value, Validation& validation) const override {
    {
      const ReasonSink silent(validation, nullptr);
      if (!validation.accepts(id_, value, true)) return true;
    }
    return validation.refuse("not", [&] {
      return fmt::format(
          "The value {} matches the schema in 'not'; use another value.",
          describe_value(value));
    });
  }

 private:
  SubschemaId id_;
};

class If : public Keyword {
 public:
  using Branch = std::optional<SubschemaId>;

  If(SubschemaId condition, Branch yes, Branch no)
      : condition_(condition), yes_(yes), no_(no) {}

  bool accepts(const Json& value, Validation& validation) const override {
    const Branch& branch = holds(value, validation) ? yes_ : no_;
    return !branch.has_value() || validation.accepts(*branch, value);
  }

 private:
  bool holds(const Json& value, Validation& validation) const {
    const ReasonSink silent(validation, nullptr);
    return validation.accepts(condition_, value);
  }

  SubschemaId condition_;
  Branch yes_;
  Branch no_;
};

template <class Combination>
Result<KeywordPtr> make_combination(SchemaBuilder& builder,
                                    const char* keyword) {
  ASSIGN_OR_RETURN(auto ids, builder.read_schemas(keyword));
  if (ids.empty()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Combination>(std::move(ids)));
}

}  // namespace

Result<KeywordPtr> make_reference(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto uri, builder.read_string("$ref"));
  if (!uri.has_value()) return KeywordPtr();
  ASSIGN_OR_RETURN(const SubschemaId target, builder.reference(*uri));
  return KeywordPtr(std::make_unique<Reference>(target));
}

Result<KeywordPtr> make_dynamic_reference(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto uri, builder.read_string("$dynamicRef"));
  if (!uri.has_value()) return KeywordPtr();
  ASSIGN_OR_RETURN(const DynamicReference reference,
                   builder.dynamic_reference(*uri));
  if (!reference.anchor_name.has_value()) {
    return KeywordPtr(std::make_unique<Reference>(reference.target));
  }
  return KeywordPtr(
      std::make_unique<DynamicRef>(*reference.anchor_name, reference.target));
}

Result<KeywordPtr> make_all_of(SchemaBuilder& builder) {
  return make_combination<AllOf>(builder, "allOf");
}

Result<KeywordPtr> make_any_of(SchemaBuilder& builder) {
  return make_combination<AnyOf>(builder, "anyOf");
}

Result<KeywordPtr> make_one_of(SchemaBuilder& builder) {
  return make_combination<OneOf>(builder, "oneOf");
}

Result<KeywordPtr> make_not(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto id, builder.read_schema("not"));
  if (!id.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Not>(*id));
}

Result<KeywordPtr> make_if(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto condition, builder.read_schema("if"));
  ASSIGN_OR_RETURN(const auto yes, builder.read_schema("then"));
  ASSIGN_OR_RETURN(const auto no, builder.read_schema("else"));
  if (!condition.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<If>(*condition, yes, no));
}

}  // namespace lamarck::schema
