// A network as a few bytes, for messages between the members of a crew. Files
// hold networks as JSON and tensors; see network_json.h.

#pragma once

#include "lamarck/crew/byte_stream.h"
#include "lamarck/evolution/candidate.h"

namespace lamarck::evolution {

void add_network(crew::ByteWriter& out, const Network& network);
// Fails the reader if the network is not valid.
Network read_network(crew::ByteReader& in);

// All but `parent_loss`.
void add_candidate(crew::ByteWriter& out, const Candidate& candidate);
Candidate read_candidate(crew::ByteReader& in);

}  // namespace lamarck::evolution
