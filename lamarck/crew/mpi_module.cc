// Built as the shared module lamarck_mpi; not part of the library.

#include "lamarck/crew/mpi_module.h"

#include <mpi.h>

#include <list>
#include <string>

namespace {

constexpr int kTag = 22;

// A message on its way; the list keeps its bytes in place.
struct Sending {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

std::list<Sending>& sending() {
  static std::list<Sending> list;
  return list;
}

void drop_sent() {
  for (auto each = sending().begin(); each != sending().end();) {
    int is_done = 0;
    MPI_Test(&each->request, &is_done, MPI_STATUS_IGNORE);
    each = is_done != 0 ? sending().erase(each) : std::next(each);
  }
}

void send_bytes(int to, const char* bytes, std::size_t size) {
  sending().push_back({std::string(bytes, size)});
  Sending& last = sending().back();
  MPI_Isend(last.bytes.data(), static_cast<int>(size), MPI_BYTE, to, kTag,
            MPI_COMM_WORLD, &last.request);
}

int probe_message(int* from, std::size_t* size) {
  drop_sent();
  int is_waiting = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_waiting, &status);
  if (is_waiting == 0) return 0;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *size = static_cast<std::size_t>(count);
  return 1;
}

void receive_bytes(int from, char* bytes, std::size_t size) {
  MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, from, kTag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

void close_mpi() {
  for (Sending& each : sending()) {
    MPI_Wait(&each.request, MPI_STATUS_IGNORE);
  }
  sending().clear();
  MPI_Finalize();
}

}  // namespace

const LamarckMpi* lamarck_mpi_open() {
  static LamarckMpi functions{.rank = 0,
                              .size = 1,
                              .send = send_bytes,
                              .probe = probe_message,
                              .receive = receive_bytes,
                              .close = close_mpi};
  int provided = 0;
  // Only one thread calls MPI.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) !=
      MPI_SUCCESS) {
    return nullptr;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &functions.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &functions.size);
  return &functions;
}
