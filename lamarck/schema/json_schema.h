// JSON Schema 2020-12, compiled once and then asked many times.
//
// Nothing is ever fetched: a schema that refers to another one finds it among
// the documents it was compiled with, or is refused. Time and depth are
// bounded, whatever the schema and the instance are.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::schema {

// Where an instance breaks a schema, and how.
struct Violation {
  std::string instance_path;  // JSON pointer, "/limits/max_changes"; "" = all.
  std::string schema_path;    // "/properties/limits/maximum".
  std::string message;        // A sentence naming the value and what is wanted.

  friend bool operator==(const Violation&, const Violation&) = default;
};

struct SchemaOptions {
  // Further schemas by URI, for `$ref`; the 2020-12 meta-schemas are known.
  std::map<std::string, Json> documents;
  bool check_formats = false;  // `format` asserts instead of annotating.
  std::size_t max_subschemas = 20'000;
  std::size_t max_depth = 200;        // Of nested subschemas at work; <= 2000.
  std::size_t max_steps = 2'000'000;  // Subschemas applied by one `validate`.
  std::size_t max_violations = 20;    // Told by one `validate`.
};

// Thread safety: a compiled schema may be used by any number of threads.
class JsonSchema {
 public:
  // The error says which keyword of which subschema is wrong. A pattern that
  // cannot be matched in bounded time is such an error, and so is a `$schema`
  // other than 2020-12 that is not among the documents.
  static Result<JsonSchema> compile(const Json& schema,
                                    const SchemaOptions& options = {});

  // What is wrong with the instance, outermost first; empty if it is valid. The
  // error is about limits: deeper or longer than the options allow.
  Result<std::vector<Violation>> validate(const Json& instance) const;
  // The first violation as an error of code InvalidArgument that begins with
  // `what` ("The plan").
  Result<void> check(const Json& instance, std::string_view what) const;

 private:
  struct Program;
  explicit JsonSchema(std::shared_ptr<const Program> program);

  std::shared_ptr<const Program> program_;
};

}  // namespace lamarck::schema
