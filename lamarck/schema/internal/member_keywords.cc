// properties, patternProperties and additionalProperties, which divide the
// members among them.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/schema/internal/ecma_pattern.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

struct PatternMembers {
  EcmaPattern pattern;
  SubschemaId id = 0;
};

struct MemberRules {
  std::vector<NamedSubschema> named;  // Sorted by name.
  std::vector<PatternMembers> patterns;
  std::optional<SubschemaId> others;
  bool are_others_refused = false;  // additionalProperties is false.
};

class Members : public Keyword {
 public:
  explicit Members(MemberRules rules) : rules_(std::move(rules)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_object()) return true;
    return validation.accepts_each(
        value.begin(), value.end(), [&](const auto& member) {
          return accepts_member(member.key(), *member, validation);
        });
  }

 private:
  bool accepts_member(const std::string& name, const Json& member,
                      Validation& validation) const {
    // A member may match its name and several patterns; all of them apply.
    bool is_known = false;
    bool is_accepted = true;
    const auto named = std::ranges::lower_bound(rules_.named, name, {},
                                                &NamedSubschema::first);
    if (named != rules_.named.end() && named->first == name) {
      is_known = true;
      is_accepted = validation.accepts_member(named->second, name, member);
    }
    for (const PatternMembers& rule : rules_.patterns) {
      if (!validation.spend(rule.pattern.cost(name))) return false;
      if (!rule.pattern.is_found_in(name)) continue;
      is_known = true;
      is_accepted &= validation.accepts_member(rule.id, name, member);
    }
    // Without additionalProperties, other members stay unevaluated.
    if (!is_known && !rules_.others.has_value()) return validation.spend(1);
    validation.mark_evaluated(member);
    return is_known ? is_accepted : accepts_other(name, member, validation);
  }

  bool accepts_other(const std::string& name, const Json& member,
                     Validation& validation) const {
    if (!rules_.are_others_refused) {
      return validation.accepts_member(*rules_.others, name, member);
    }
    return validation.refuse_member("additionalProperties", name, [&] {
      return fmt::format("The member {} is unknown; {}.", in_quotes(name),
                         remedy(name));
    });
  }

  std::string remedy(const std::string& name) const {
    constexpr std::size_t kMaxShown = 12;
    std::vector<std::string> names;
    std::string list;
    for (const auto& [known, id] : rules_.named) {
      names.push_back(known);
      if (names.size() > kMaxShown) continue;
      list += (list.empty() ? "" : ", ") + in_quotes(known);
    }
    if (const auto nearest = nearest_word(name, names)) {
      return fmt::format("the closest known one is {}", in_quotes(*nearest));
    }
    if (names.empty()) return "remove it";
    return fmt::format("known members: {}{}", list,
                       names.size() > kMaxShown ? " and others" : "");
  }

  MemberRules rules_;
};

}  // namespace

Result<KeywordPtr> make_members(SchemaBuilder& builder) {
  MemberRules rules;
  ASSIGN_OR_RETURN(rules.named, builder.read_named_schemas("properties"));
  ASSIGN_OR_RETURN(const auto patterns,
                   builder.read_named_schemas("patternProperties"));
  for (const auto& [source, id] : patterns) {
    ASSIGN_OR_RETURN(EcmaPattern pattern,
                     builder.compile_pattern("patternProperties", source));
    rules.patterns.push_back({std::move(pattern), id});
  }
  ASSIGN_OR_RETURN(rules.others, builder.read_schema("additionalProperties"));
  const Json* others = builder.find("additionalProperties");
  rules.are_others_refused = others != nullptr && *others == Json(false);
  if (rules.named.empty() && rules.patterns.empty() &&
      !rules.others.has_value()) {
    return KeywordPtr();
  }
  return KeywordPtr(std::make_unique<Members>(std::move(rules)));
}

}  // namespace lamarck::schema
