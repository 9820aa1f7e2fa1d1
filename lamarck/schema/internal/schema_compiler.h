// Compiles a schema and the documents it refers to into numbered subschemas.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/schema/internal/compiled_schema.h"
#include "lamarck/schema/json_schema.h"

namespace lamarck::schema {

// The result does not refer to the schema or the documents.
Result<CompiledSchema> compile_schema(const Json& schema,
                                      const SchemaOptions& options);

}  // namespace lamarck::schema
