// JSON Schema 2020-12. A schema is compiled once and then validates many
// values.
//
// Nothing is fetched from the network: references resolve to the documents
// given to `compile`, or compilation fails. Time and depth are bounded for
// every schema and instance.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::schema {

// Where and how an instance violates a schema.
struct Violation {
  std::string instance_path;  // JSON pointer, "/limits/max_changes"; "" = root.
  std::string schema_path;    // "/properties/limits/maximum".
  std::string message;        // A sentence with the value and what must hold.

  friend bool operator==(const Violation&, const Violation&) = default;
};

struct SchemaOptions {
  // Further schemas by URI, for `$ref`. The 2020-12 meta-schemas are built in.
  std::map<std::string, Json> documents;
  bool check_formats = false;  // `format` asserts instead of annotating.
  std::size_t max_subschemas = 20'000;
  std::size_t max_depth = 200;        // Nesting of subschemas; at most 2000.
  std::size_t max_steps = 2'000'000;  // Subschemas applied per `validate`.
  std::size_t max_violations = 20;    // Reported per `validate`; at least 1.
};

// Thread safety: a compiled schema may be used by any number of threads.
class JsonSchema {
 public:
  // The error names the invalid keyword and its subschema. Patterns that cannot
  // be matched in bounded time are errors, and so is a `$schema` other than
  // 2020-12 that is not among the documents.
  static Result<JsonSchema> compile(const Json& schema,
                                    const SchemaOptions& options = {});

  // Returns the violations, outermost first; empty if the instance is valid.
  // Fails only if the validation exceeds the limits of the options.
  Result<std::vector<Violation>> validate(const Json& instance) const;
  // Returns the first violation as an InvalidArgument error that begins with
  // `what`, such as "The plan".
  Result<void> check(const Json& instance, std::string_view what) const;

 private:
  struct Program;
  explicit JsonSchema(std::shared_ptr<const Program> program);

  std::shared_ptr<const Program> program_;
};

}  // namespace lamarck::schema
