// The flags of `lamarck evolve net`, `fn` and `program`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/cli/evolve/net_flags.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/cli/runs/recorded_run.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lamarck::cli {

enum class EvolveKind : std::uint8_t { Net, Fn, Program };

// The kinds share some flags, so one list has them all, each with the kinds
// that take it.
class EvolveFlags {
 public:
  explicit EvolveFlags(EvolveKind kind) : kind_(kind) {}

  // Adds the flags of the kind. Called once, before parsing; `app` writes into
  // this object.
  void add_to(CLI::App& app);

  // Call these after parsing.
  NetFlags net_flags() const;
  SearchFlags search_flags() const;
  const RecordFlags& record_flags() const { return record_; }

 private:
  void add_data(CLI::App& app);
  void add_limits(CLI::App& app);
  void add_net(CLI::App& app);
  void add_search(CLI::App& app);

  EvolveKind kind_;
  // Flags of one kind are parsed into these two, shared ones into the members
  // below.
  NetFlags net_;
  SearchFlags search_;
  std::string data_;
  std::optional<std::string> target_;
  std::optional<std::string> encoding_;
  std::vector<std::string> budget_;
  std::vector<std::string> tests_;
  std::optional<std::int64_t> islands_;
  std::optional<std::uint64_t> seed_;
  std::optional<std::string> out_;
  std::optional<std::string> resume_;
  std::optional<std::string> crew_;
  bool is_forced_ = false;
  RecordFlags record_;
};

}  // namespace lamarck::cli
