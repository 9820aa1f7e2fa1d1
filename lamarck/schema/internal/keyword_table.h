// The list of all keywords that can reject a value.

#pragma once

#include <cstdint>
#include <span>

#include "lamarck/base/result.h"
#include "lamarck/schema/internal/compiled_schema.h"
#include "lamarck/schema/internal/schema_builder.h"

namespace lamarck::schema {

// The vocabularies of 2020-12 that affect validation, as bits.
enum class Vocabulary : std::uint8_t {
  Core = 1,
  Applicator = 2,
  Unevaluated = 4,
  Validation = 8,
  Format = 16,
  FormatAssertion = 32,
};

// Returns null if the current object has none of the keywords.
using MakeKeyword = Result<KeywordPtr> (*)(SchemaBuilder& builder);

struct KeywordEntry {
  Vocabulary vocabulary;
  MakeKeyword make;
};

// In evaluation order: cheap keywords first, so that violations of the value
// itself precede those of its parts.
std::span<const KeywordEntry> keyword_table();

// value_keywords.cc
Result<KeywordPtr> make_type(SchemaBuilder& builder);
Result<KeywordPtr> make_enum(SchemaBuilder& builder);
Result<KeywordPtr> make_const(SchemaBuilder& builder);

// number_keywords.cc
Result<KeywordPtr> make_maximum(SchemaBuilder& builder);
Result<KeywordPtr> make_exclusive_maximum(SchemaBuilder& builder);
Result<KeywordPtr> make_minimum(SchemaBuilder& builder);
Result<KeywordPtr> make_exclusive_minimum(SchemaBuilder& builder);
Result<KeywordPtr> make_multiple_of(SchemaBuilder& builder);

// string_keywords.cc
Result<KeywordPtr> make_lengths(SchemaBuilder& builder);
Result<KeywordPtr> make_pattern(SchemaBuilder& builder);
Result<KeywordPtr> make_format(SchemaBuilder& builder);

// array_keywords.cc
Result<KeywordPtr> make_item_counts(SchemaBuilder& builder);
Result<KeywordPtr> make_unique_items(SchemaBuilder& builder);
Result<KeywordPtr> make_items(SchemaBuilder& builder);
Result<KeywordPtr> make_contains(SchemaBuilder& builder);

// object_keywords.cc
Result<KeywordPtr> make_required(SchemaBuilder& builder);
Result<KeywordPtr> make_member_counts(SchemaBuilder& builder);
Result<KeywordPtr> make_dependent_required(SchemaBuilder& builder);
Result<KeywordPtr> make_property_names(SchemaBuilder& builder);
Result<KeywordPtr> make_dependent_schemas(SchemaBuilder& builder);

// member_keywords.cc
Result<KeywordPtr> make_members(SchemaBuilder& builder);

// combining_keywords.cc
Result<KeywordPtr> make_reference(SchemaBuilder& builder);
Result<KeywordPtr> make_dynamic_reference(SchemaBuilder& builder);
Result<KeywordPtr> make_all_of(SchemaBuilder& builder);
Result<KeywordPtr> make_any_of(SchemaBuilder& builder);
Result<KeywordPtr> make_one_of(SchemaBuilder& builder);
Result<KeywordPtr> make_not(SchemaBuilder& builder);
Result<KeywordPtr> make_if(SchemaBuilder& builder);

// unevaluated_keywords.cc
Result<KeywordPtr> make_unevaluated_items(SchemaBuilder& builder);
Result<KeywordPtr> make_unevaluated_properties(SchemaBuilder& builder);

}  // namespace lamarck::schema
