// The events of one generation of an island, as bytes.

#pragma once

#include <vector>

#include "lamarck/crew/byte_stream.h"
#include "lamarck/evolution/evolution_event.h"

namespace lamarck::evolution {

// Events that islands do not send are skipped.
void add_events(crew::ByteWriter& out,
                const std::vector<EvolutionEvent>& events);
std::vector<EvolutionEvent> read_events(crew::ByteReader& in);

}  // namespace lamarck::evolution
