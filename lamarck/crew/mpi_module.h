// The functions of the module lamarck_mpi, which the program opens at run time.
//
// The module alone links to an MPI library, so the program runs without one.

#pragma once

#include <cstddef>

extern "C" {

// All functions are for the thread that called lamarck_mpi_open.
struct LamarckMpi {
  int rank;
  int size;
  // Copies the bytes and returns at once.
  void (*send)(int to, const char* bytes, std::size_t size);
  // Returns 1 and sets `from` and `size` if a message is waiting, else 0.
  int (*probe)(int* from, std::size_t* size);
  // Receives the message that `probe` found.
  void (*receive)(int from, char* bytes, std::size_t size);
  // Waits until everything was sent and all ranks have called it.
  void (*close)();
};

// Returns null if MPI cannot start.
using LamarckMpiOpen = const LamarckMpi* (*)();
const LamarckMpi* lamarck_mpi_open();

}  // extern "C"
