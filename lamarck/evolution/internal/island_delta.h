// What one generation changed on an island, as bytes.
//
// Whoever has the island before a generation gets the island after it from the
// change alone, bit for bit. Most generations keep no child, so most changes
// are short.

#pragma once

#include "lamarck/crew/byte_stream.h"
#include "lamarck/evolution/network_island.h"

namespace lamarck::evolution {

void add_island_delta(crew::ByteWriter& out, const Island& before,
                      const Island& after);
// Turns `before` into `after`. Fails the reader if the bytes do not fit; then
// `island` has some valid value.
void apply_island_delta(crew::ByteReader& in, Island& island);

}  // namespace lamarck::evolution
