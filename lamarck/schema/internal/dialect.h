// Finds the vocabularies that a schema uses.

#pragma once

#include <cstddef>
#include <cstdint>

#include "lamarck/base/result.h"
#include "lamarck/schema/internal/resource_index.h"

namespace lamarck::schema {

// Returns the Vocabulary bits in force in a resource: those of the meta-schema
// in its own `$schema` or that of an enclosing resource, else those of 2020-12.
// The error names an unknown meta-schema or vocabulary.
Result<std::uint8_t> find_vocabularies(std::size_t resource,
                                       ResourceIndex& index);

}  // namespace lamarck::schema
