#include "lamarck/runs/run_process.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace lamarck::runs {
namespace {

constexpr std::size_t kStartField = 20;  // After the name; the 22nd of all.

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The start time of a process, or 0 if there is none. A zombie has ended.
std::uint64_t start_of(std::int64_t pid) {
  const std::string stat = read_line("/proc/" + std::to_string(pid) + "/stat");
  // The name is in brackets and may contain any character.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (std::size_t i = 0; i < kStartField && fields >> field; ++i) {
    if (i == 0 && (field == "Z" || field == "X")) return 0;
  }
  std::uint64_t start = 0;
  std::from_chars(field.data(), field.data() + field.size(), start);
  return start;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

const std::string& this_host() {
  static const std::string kHost =
      host_name() + "/" + read_line("/proc/sys/kernel/random/boot_id");
  return kHost;
}

}  // namespace

ProcessIdentity find_process(std::int64_t pid) {
  return {.pid = pid, .start = start_of(pid), .host = this_host()};
}

ProcessIdentity this_process() { return find_process(getpid()); }

Liveness find_liveness(const ProcessIdentity& process) {
  if (process.host != this_host()) return Liveness::Elsewhere;
  const bool is_same =
      process.start != 0 && start_of(process.pid) == process.start;
  return is_same ? Liveness::Alive : Liveness::Dead;
}

}  // namespace lamarck::runs
