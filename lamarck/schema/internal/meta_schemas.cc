#include "lamarck/schema/internal/meta_schemas.h"

#include <array>
#include <nlohmann/json.hpp>

namespace lamarck::schema {
namespace {

// The texts omit $schema, $id, $dynamicAnchor and type, which parse_all adds
// because they follow one rule.
struct MetaSchemaText {
  std::string_view name;
  std::string_view text;
};

constexpr MetaSchemaText kSchema = {"schema", R"json({
"$vocabulary": {
  "https://json-schema.org/draft/2020-12/vocab/core": true,
  "https://json-schema.org/draft/2020-12/vocab/applicator": true,
  "https://json-schema.org/draft/2020-12/vocab/unevaluated": true,
  "https://json-schema.org/draft/2020-12/vocab/validation": true,
  "https://json-schema.org/draft/2020-12/vocab/meta-data": true,
  "https://json-schema.org/draft/2020-12/vocab/format-annotation": true,
  "https://json-schema.org/draft/2020-12/vocab/content": true},
"allOf": [
  {"$ref": "meta/core"}, {"$ref": "meta/applicator"},
  {"$ref": "meta/unevaluated"}, {"$ref": "meta/validation"},
  {"$ref": "meta/meta-data"}, {"$ref": "meta/format-annotation"},
  {"$ref": "meta/content"}],
"properties": {
  "definitions": {"type": "object", "deprecated": true, "default": {},
    "additionalProperties": {"$dynamicRef": "#meta"}},
  "dependencies": {"type": "object", "deprecated": true, "default": {},
    "additionalProperties": {"anyOf": [{"$dynamicRef": "#meta"},
      {"$ref": "meta/validation#/$defs/stringArray"}]}},
  "$recursiveAnchor": {"deprecated": true,
    "$ref": "meta/core#/$defs/anchorString"},
  "$recursiveRef": {"deprecated": true,
    "$ref": "meta/core#/$defs/uriReferenceString"}}
})json"};

constexpr MetaSchemaText kCore = {"meta/core", R"json({
"properties": {
  "$id": {"$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$"},
  "$schema": {"$ref": "#/$defs/uriString"},
  "$ref": {"$ref": "#/$defs/uriReferenceString"},
  "$anchor": {"$ref": "#/$defs/anchorString"},
  "$dynamicRef": {"$ref": "#/$defs/uriReferenceString"},
  "$dynamicAnchor": {"$ref": "#/$defs/anchorString"},
  "$vocabulary": {"type": "object",
    "propertyNames": {"$ref": "#/$defs/uriString"},
    "additionalProperties": {"type": "boolean"}},
  "$comment": {"type": "string"},
  "$defs": {"type": "object",
    "additionalProperties": {"$dynamicRef": "#meta"}}},
"$defs": {
  "anchorString": {"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"},
  "uriString": {"type": "string", "format": "uri"},
  "uriReferenceString": {"type": "string", "format": "uri-reference"}}
})json"};

constexpr MetaSchemaText kApplicator = {"meta/applicator", R"json({
"properties": {
  "prefixItems": {"$ref": "#/$defs/schemaArray"},
  "items": {"$dynamicRef": "#meta"},
  "contains": {"$dynamicRef": "#meta"},
  "additionalProperties": {"$dynamicRef": "#meta"},
  "properties": {"type": "object", "default": {},
    "additionalProperties": {"$dynamicRef": "#meta"}},
  "patternProperties": {"type": "object", "default": {},
    "additionalProperties": {"$dynamicRef": "#meta"},
    "propertyNames": {"format": "regex"}},
  "dependentSchemas": {"type": "object", "default": {},
    "additionalProperties": {"$dynamicRef": "#meta"}},
  "propertyNames": {"$dynamicRef": "#meta"},
  "if": {"$dynamicRef": "#meta"},
  "then": {"$dynamicRef": "#meta"},
  "else": {"$dynamicRef": "#meta"},
  "allOf": {"$ref": "#/$defs/schemaArray"},
  "anyOf": {"$ref": "#/$defs/schemaArray"},
  "oneOf": {"$ref": "#/$defs/schemaArray"},
  "not": {"$dynamicRef": "#meta"}},
"$defs": {"schemaArray": {"type": "array", "minItems": 1,
  "items": {"$dynamicRef": "#meta"}}}
})json"};

constexpr MetaSchemaText kUnevaluated = {"meta/unevaluated", R"json({
"properties": {
  "unevaluatedItems": {"$dynamicRef": "#meta"},
  "unevaluatedProperties": {"$dynamicRef": "#meta"}}
})json"};

constexpr MetaSchemaText kValidation = {"meta/validation", R"json({
"properties": {
  "type": {"anyOf": [{"$ref": "#/$defs/simpleTypes"},
    {"type": "array", "items": {"$ref": "#/$defs/simpleTypes"},
     "minItems": 1, "uniqueItems": true}]},
  "const": true,
  "enum": {"type": "array", "items": true},
  "multipleOf": {"type": "number", "exclusiveMinimum": 0},
  "maximum": {"type": "number"},
  "exclusiveMaximum": {"type": "number"},
  "minimum": {"type": "number"},
  "exclusiveMinimum": {"type": "number"},
  "maxLength": {"$ref": "#/$defs/nonNegativeInteger"},
  "minLength": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
  "pattern": {"type": "string", "format": "regex"},
  "maxItems": {"$ref": "#/$defs/nonNegativeInteger"},
  "minItems": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
  "uniqueItems": {"type": "boolean", "default": false},
  "maxContains": {"$ref": "#/$defs/nonNegativeInteger"},
  "minContains": {"$ref": "#/$defs/nonNegativeInteger", "default": 1},
  "maxProperties": {"$ref": "#/$defs/nonNegativeInteger"},
  "minProperties": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
  "required": {"$ref": "#/$defs/stringArray"},
  "dependentRequired": {"type": "object",
    "additionalProperties": {"$ref": "#/$defs/stringArray"}}},
"$defs": {
  "nonNegativeInteger": {"type": "integer", "minimum": 0},
  "nonNegativeIntegerDefault0": {"$ref": "#/$defs/nonNegativeInteger",
    "default": 0},
  "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number",
    "object", "string"]},
  "stringArray": {"type": "array", "items": {"type": "string"},
    "uniqueItems": true, "default": []}}
})json"};

constexpr MetaSchemaText kMetaData = {"meta/meta-data", R"json({
"properties": {
  "title": {"type": "string"},
  "description": {"type": "string"},
  "default": true,
  "deprecated": {"type": "boolean", "default": false},
  "readOnly": {"type": "boolean", "default": false},
  "writeOnly": {"type": "boolean", "default": false},
  "examples": {"type": "array", "items": true}}
})json"};

constexpr MetaSchemaText kFormatAnnotation = {
    "meta/format-annotation",
    R"json({"properties": {"format": {"type": "string"}}})json"};

constexpr MetaSchemaText kFormatAssertion = {
    "meta/format-assertion",
    R"json({"properties": {"format": {"type": "string"}}})json"};

constexpr MetaSchemaText kContent = {"meta/content", R"json({
"properties": {
  "contentEncoding": {"type": "string"},
  "contentMediaType": {"type": "string"},
  "contentSchema": {"$dynamicRef": "#meta"}}
})json"};

constexpr std::array kTexts = {
    kSchema,   kCore,    kApplicator,       kUnevaluated,     kValidation,
    kMetaData, kContent, kFormatAnnotation, kFormatAssertion,
};

// The $vocabulary of "meta/core": the vocabulary with the same name.
Json make_vocabulary(std::string_view name) {
  const std::string uri = std::string(kMetaSchemaPrefix) + "vocab/" +
                          std::string(name.substr(name.find('/') + 1));
  return {{uri, true}};
}

std::map<std::string, Json> parse_all() {
  std::map<std::string, Json> documents;
  for (const MetaSchemaText& entry : kTexts) {
    Json document = Json::parse(entry.text);
    const std::string uri =
        std::string(kMetaSchemaPrefix) + std::string(entry.name);
    document["$schema"] = kMetaSchema;
    document["$id"] = uri;
    document["$dynamicAnchor"] = "meta";
    document["type"] = {"object", "boolean"};
    if (!document.contains("$vocabulary")) {
      document["$vocabulary"] = make_vocabulary(entry.name);
    }
    documents.emplace(uri, std::move(document));
  }
  return documents;
}

}  // namespace

const std::map<std::string, Json>& meta_schemas() {
  static const std::map<std::string, Json> kDocuments = parse_all();
  return kDocuments;
}

}  // namespace lamarck::schema
