// Genomes and outcomes of NEAT as bytes, for messages between the members of a
// crew.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/crew/byte_stream.h"
#include "lamarck/neat/neat_genome.h"
#include "lamarck/neat/neat_search.h"

namespace lamarck::neat {

// With its fitness.
void add_genome(crew::ByteWriter& out, const Genome& genome);
// Makes `in` fail if the bytes are not a genome.
Genome read_genome(crew::ByteReader& in);

void add_outcome(crew::ByteWriter& out, const NeatOutcome& outcome);
NeatOutcome read_outcome(crew::ByteReader& in);

}  // namespace lamarck::neat
