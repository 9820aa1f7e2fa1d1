#include "lamarck/crew/mpi_transport.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lamarck/crew/mpi_module.h"

namespace lamarck::crew {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

constexpr const char* kModule = "lamarck_mpi.so";
// Between two looks for a message. Waiting inside MPI would use a whole core.
constexpr microseconds kFirstPause{10};
constexpr microseconds kLongestPause{200};

// The first of the variables that is set to a number.
int number_of(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names) {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (text == nullptr) continue;
    const std::string_view view(text);
    int number = 0;
    const auto read =
        std::from_chars(view.data(), view.data() + view.size(), number);
    if (read.ec == std::errc()) return number;
  }
  return fallback;
}

// The places where the module may be, best first.
std::vector<fs::path> module_paths() {
  std::vector<fs::path> paths;
  if (const char* given = std::getenv("LAMARCK_MPI_MODULE")) {
    paths.emplace_back(given);
  }
  std::error_code ignored;
  const fs::path folder =
      fs::read_symlink("/proc/self/exe", ignored).parent_path();
  paths.push_back(folder / kModule);
  paths.push_back(folder.parent_path() / "lib" / "lamarck" / kModule);
  return paths;
}

}  // namespace

MpiPlace mpi_place() {
  // A step of srun has these only if Slurm itself starts MPI.
  const bool is_slurm = std::getenv("PMIX_RANK") != nullptr;
  return {
      .rank = number_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}, 0),
      .size = number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                         is_slurm ? "SLURM_STEP_NUM_TASKS" : "PMI_SIZE"},
                        1)};
}

Result<std::unique_ptr<MpiTransport>> MpiTransport::open() {
  std::string failure;
  for (const fs::path& path : module_paths()) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    // Global, because an MPI library opens plug-ins that use its symbols.
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) {
      failure = dlerror();
      continue;
    }
    const auto start =
        reinterpret_cast<LamarckMpiOpen>(dlsym(module, "lamarck_mpi_open"));
    const LamarckMpi* mpi = start == nullptr ? nullptr : start();
    if (mpi == nullptr) {
      return Error(ErrorCode::Unsupported,
                   fmt::format("{} cannot start MPI; build it for the MPI "
                               "library of this machine.",
                               path.string()));
    }
    return std::unique_ptr<MpiTransport>(new MpiTransport(mpi));
  }
  return Error(
      ErrorCode::Unsupported,
      fmt::format("This process was started by an MPI launcher, but the module "
                  "{} cannot be loaded{}; install libopenmpi-dev and build "
                  "lamarck again, or set LAMARCK_MPI_MODULE to its path.",
                  kModule, failure.empty() ? "" : " (" + failure + ")"));
}

MpiTransport::~MpiTransport() { mpi_->close(); }

int MpiTransport::rank() const { return mpi_->rank; }
int MpiTransport::size() const { return mpi_->size; }

Result<void> MpiTransport::send(std::vector<Letter> letters) {
  for (const Letter& letter : letters) {
    mpi_->send(static_cast<int>(letter.other), letter.bytes.data(),
               letter.bytes.size());
  }
  return {};
}

Result<std::vector<Letter>> MpiTransport::receive(microseconds patience) {
  std::vector<Letter> letters;
  const auto end = clock_.elapsed() + patience;
  for (microseconds pause = kFirstPause;;
       pause = std::min(2 * pause, kLongestPause)) {
    int from = 0;
    std::size_t size = 0;
    while (mpi_->probe(&from, &size) != 0) {
      std::string bytes(size, '\0');
      mpi_->receive(from, bytes.data(), size);
      letters.push_back({from, std::move(bytes)});
    }
    std::unique_lock lock(mutex_);
    if (!letters.empty() || is_woken_ || clock_.elapsed() >= end) {
      is_woken_ = false;
      return letters;
    }
    changed_.wait_for(lock, pause, [this] { return is_woken_; });
  }
}

std::vector<MemberId> MpiTransport::first_members() const {
  std::vector<MemberId> ranks;
  for (MemberId rank = 1; rank < size(); ++rank) ranks.push_back(rank);
  return ranks;
}

void MpiTransport::wake() {
  const std::lock_guard lock(mutex_);
  is_woken_ = true;
  changed_.notify_all();
}

}  // namespace lamarck::crew
