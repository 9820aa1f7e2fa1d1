// Which vocabularies a schema is written in.

#pragma once

#include <cstddef>
#include <cstdint>

#include "lamarck/base/result.h"
#include "lamarck/schema/internal/resource_index.h"

namespace lamarck::schema {

// The bits of Vocabulary that are in force in a resource: those of the
// meta-schema that its `$schema`, or the one around it, names; else of
// 2020-12. The error names a meta-schema or vocabulary that is not known.
Result<std::uint8_t> vocabularies_of(std::size_t resource,
                                     ResourceIndex& index);

}  // namespace lamarck::schema
