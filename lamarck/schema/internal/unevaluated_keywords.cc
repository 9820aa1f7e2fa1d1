// unevaluatedItems and unevaluatedProperties: what no other keyword evaluated.

#include <string>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

class UnevaluatedItems : public Keyword {
 public:
  explicit UnevaluatedItems(SubschemaId id) : id_(id) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_array()) return true;
    return validation.accepts_each(
        std::size_t{0}, value.size(), [&](std::size_t i) {
          if (!validation.spend(1)) return false;
          if (validation.is_evaluated(value[i])) return true;
          validation.mark_evaluated(value[i]);
          return validation.accepts_item(id_, i, value[i]);
        });
  }

 private:
  SubschemaId id_;
};

class UnevaluatedProperties : public Keyword {
 public:
  UnevaluatedProperties(SubschemaId id, bool are_refused)
      : id_(id), are_refused_(are_refused) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    return validation.accepts_each(
        value.begin(), value.end(), [&](const auto& member) {
          if (!validation.spend(1)) return false;
          if (validation.is_evaluated(*member)) return true;
          validation.mark_evaluated(*member);
          return accepts_member(member.key(), *member, validation);
        });
  }

 private:
  bool accepts_member(const std::string& name, const Json& member,
                      Validation& validation) const {
    if (!are_refused_) return validation.accepts_member(id_, name, member);
    return validation.refuse_member("unevaluatedProperties", name, [&] {
      return fmt::format("The member {} is unknown; remove it.",
                         in_quotes(name));
    });
  }

  SubschemaId id_;
  bool are_refused_;
};

}  // namespace

Result<KeywordPtr> make_unevaluated_items(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto id, builder.read_schema("unevaluatedItems"));
  if (!id.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<UnevaluatedItems>(*id));
}

Result<KeywordPtr> make_unevaluated_properties(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto id, builder.read_schema("unevaluatedProperties"));
  if (!id.has_value()) return KeywordPtr();
  const Json* value = builder.find("unevaluatedProperties");
  return KeywordPtr(
      std::make_unique<UnevaluatedProperties>(*id, *value == Json(false)));
}

}  // namespace lamarck::schema
