// Whether anybody still reads what the program writes.

#pragma once

#include <iosfwd>

namespace lamarck::cli {

// False once the other end of a pipe or socket is closed; nothing is written to
// find that out.
bool has_reader(int file);
// Likewise of standard output; true of every other stream.
bool has_reader(const std::ostream& out);

}  // namespace lamarck::cli
