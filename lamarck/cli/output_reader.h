// Whether anybody still reads what the program writes.

#pragma once

namespace lamarck::cli {

// False once the other end of a pipe or socket is closed; nothing is written to
// find that out. `file` is a file descriptor.
bool has_reader(int file);

}  // namespace lamarck::cli
