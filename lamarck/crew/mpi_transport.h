// Letters as MPI messages.

#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/crew/transport.h"

struct LamarckMpi;

namespace lamarck::crew {

// Where the launcher, such as mpirun or srun, put this process.
struct MpiPlace {
  int rank = 0;
  int size = 1;
};
// Reads the variables of the launcher; {0, 1} without one.
MpiPlace mpi_place();

// The rank is the id of a member; rank 0 leads.
class MpiTransport final : public Transport {
 public:
  // Opens the module lamarck_mpi and starts MPI. Fails with Unsupported if the
  // module or an MPI library is missing. Call it once per process.
  static Result<std::unique_ptr<MpiTransport>> open();
  // Waits for all ranks.
  ~MpiTransport() override;

  int rank() const;
  int size() const;

  Result<void> send(std::vector<Letter> letters) override;
  Result<std::vector<Letter>> receive(
      std::chrono::microseconds patience) override;
  // Always empty: OpenMPI 4 ends all ranks when one is lost.
  std::vector<MemberId> departed() override { return {}; }
  void wake() override;
  std::vector<MemberId> first_members() const override;

 private:
  explicit MpiTransport(const LamarckMpi* mpi) : mpi_(mpi) {}

  const LamarckMpi* mpi_;
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_woken_ = false;  // Guarded by mutex_.
};

}  // namespace lamarck::crew
