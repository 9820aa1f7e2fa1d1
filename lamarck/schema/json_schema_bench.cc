// The cost of checking the arguments of one tool call.

#include "lamarck/schema/json_schema.h"

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

namespace lamarck::schema {
namespace {

// A typical tool input: a dozen members, one array, one object.
Json tool_schema() {
  return Json::parse(R"json({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object", "required": ["session", "text"],
    "additionalProperties": false,
    "properties": {
      "session": {"type": "string", "pattern": "^[a-z0-9-]{1,64}$"},
      "text": {"type": "string", "minLength": 1, "maxLength": 20000},
      "number": {"type": "integer", "minimum": 1},
      "total": {"type": "integer", "minimum": 1},
      "is_last": {"type": "boolean"},
      "kind": {"enum": ["plan", "step", "doubt", "answer"]},
      "confidence": {"type": "number", "minimum": 0, "maximum": 1},
      "tags": {"type": "array", "uniqueItems": true,
               "items": {"type": "string", "maxLength": 40}},
      "parent": {"anyOf": [{"type": "string"}, {"type": "null"}]},
      "limits": {"$ref": "#/$defs/limits"}},
    "$defs": {"limits": {"type": "object", "additionalProperties": false,
      "properties": {"max_steps": {"type": "integer", "maximum": 1000},
                     "seconds": {"type": "number"}}}}
  })json");
}

Json tool_arguments() {
  return Json::parse(R"json({
    "session": "0192f3c1-7d2e-7a55-8d52-0a4f2c6f9b11",
    "text": "The simplest explanation is that the cache was never cleared.",
    "number": 3, "total": 7, "is_last": false, "kind": "step",
    "confidence": 0.8, "tags": ["cache", "bug", "hypothesis"],
    "parent": null, "limits": {"max_steps": 40, "seconds": 2.5}
  })json");
}

void BM_CompileToolSchema(benchmark::State& state) {
  const Json schema = tool_schema();
  for (auto _ : state) benchmark::DoNotOptimize(JsonSchema::compile(schema));
}
BENCHMARK(BM_CompileToolSchema);

void BM_ValidateToolArguments(benchmark::State& state) {
  const auto schema = JsonSchema::compile(tool_schema()).value();
  const Json arguments = tool_arguments();
  for (auto _ : state) benchmark::DoNotOptimize(schema.validate(arguments));
}
BENCHMARK(BM_ValidateToolArguments);

void BM_RefuseToolArguments(benchmark::State& state) {
  const auto schema = JsonSchema::compile(tool_schema()).value();
  Json arguments = tool_arguments();
  arguments["limits"]["max_steps"] = 4000;
  for (auto _ : state) benchmark::DoNotOptimize(schema.validate(arguments));
}
BENCHMARK(BM_RefuseToolArguments);

void BM_UniqueIntegers(benchmark::State& state) {
  const auto schema = JsonSchema::compile(Json{{"uniqueItems", true}}).value();
  Json array = Json::array();
  for (std::int64_t i = 0; i < state.range(0); ++i) array.push_back(i * 7919);
  for (auto _ : state) benchmark::DoNotOptimize(schema.validate(array));
}
BENCHMARK(BM_UniqueIntegers)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace lamarck::schema
