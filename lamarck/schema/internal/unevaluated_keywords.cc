// unevaluatedItems and unevaluatedProperties: what no other keyword looked at.

#include <string>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

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
    bool is_accepted = true;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!validation.spend(1)) return false;
      if (validation.is_evaluated(value[i])) continue;
      validation.mark_evaluated(value[i]);
      if (validation.accepts_item(id_, i, value[i])) continue;
      is_accepted = false;
      if (validation.is_answer_enough()) break;
    }
    return is_accepted;
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
    bool is_accepted = true;
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (!validation.spend(1)) return false;
      if (validation.is_evaluated(*member)) continue;
      validation.mark_evaluated(*member);
      if (accepts_member(member.key(), *member, validation)) continue;
      is_accepted = false;
      if (validation.is_answer_enough()) break;
    }
    return is_accepted;
  }

 private:
  bool accepts_member(const std::string& name, const Json& member,
                      Validation& validation) const {
    if (!are_refused_) return validation.accepts_member(id_, name, member);
    return validation.refuse_member("unevaluatedProperties", name, [&] {
      return fmt::format("The member {} is unknown; leave it out.",
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
