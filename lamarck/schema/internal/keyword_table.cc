#include "lamarck/schema/internal/keyword_table.h"

#include <array>

namespace lamarck::schema {
namespace {

constexpr std::array kKeywords = {
    KeywordEntry{Vocabulary::Validation, make_type},
    KeywordEntry{Vocabulary::Validation, make_const},
    KeywordEntry{Vocabulary::Validation, make_enum},
    KeywordEntry{Vocabulary::Validation, make_minimum},
    KeywordEntry{Vocabulary::Validation, make_exclusive_minimum},
    KeywordEntry{Vocabulary::Validation, make_maximum},
    KeywordEntry{Vocabulary::Validation, make_exclusive_maximum},
    KeywordEntry{Vocabulary::Validation, make_multiple_of},
    KeywordEntry{Vocabulary::Validation, make_lengths},
    KeywordEntry{Vocabulary::Validation, make_pattern},
    KeywordEntry{Vocabulary::Format, make_format},
    KeywordEntry{Vocabulary::Validation, make_item_counts},
    KeywordEntry{Vocabulary::Validation, make_unique_items},
    KeywordEntry{Vocabulary::Validation, make_member_counts},
    KeywordEntry{Vocabulary::Validation, make_required},
    KeywordEntry{Vocabulary::Validation, make_dependent_required},
    KeywordEntry{Vocabulary::Applicator, make_property_names},
    KeywordEntry{Vocabulary::Applicator, make_members},
    KeywordEntry{Vocabulary::Applicator, make_items},
    KeywordEntry{Vocabulary::Applicator, make_contains},
    KeywordEntry{Vocabulary::Core, make_reference},
    KeywordEntry{Vocabulary::Core, make_dynamic_reference},
    KeywordEntry{Vocabulary::Applicator, make_dependent_schemas},
    KeywordEntry{Vocabulary::Applicator, make_all_of},
    KeywordEntry{Vocabulary::Applicator, make_any_of},
    KeywordEntry{Vocabulary::Applicator, make_one_of},
    KeywordEntry{Vocabulary::Applicator, make_not},
    KeywordEntry{Vocabulary::Applicator, make_if},
    KeywordEntry{Vocabulary::Unevaluated, make_unevaluated_items},
    KeywordEntry{Vocabulary::Unevaluated, make_unevaluated_properties},
};

}  // namespace

std::span<const KeywordEntry> keyword_table() { return kKeywords; }

}  // namespace lamarck::schema
