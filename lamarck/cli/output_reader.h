// Finds out whether the program's output still has a reader.

#pragma once

namespace lamarck::cli {

// Returns false once the other end of a pipe or socket is closed. Writes
// nothing to find out.
bool has_reader(int descriptor);

}  // namespace lamarck::cli
