// Trees, models and finds of the genetic engine as bytes, for messages between
// the members of a crew. Checkpoints have them as JSON (gp_json.h).

#pragma once

#include <cstddef>

#include "lamarck/crew/byte_stream.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_search.h"
#include "lamarck/gp/gp_tree.h"

namespace lamarck::gp {

// The readers make `in` fail if the bytes are damaged or an input index is not
// below `inputs`.
void add_tree(crew::ByteWriter& out, const GpTree& tree);
GpTree read_tree(crew::ByteReader& in, std::size_t inputs);

void add_model(crew::ByteWriter& out, const GpModel& model);
GpModel read_model(crew::ByteReader& in, std::size_t inputs);

void add_find(crew::ByteWriter& out, const GpFind& find);
GpFind read_find(crew::ByteReader& in, std::size_t inputs);

}  // namespace lamarck::gp
