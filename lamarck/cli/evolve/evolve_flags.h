// All flags of `lamarck evolve`, and the
// kinds (net, fn, program) that take them.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/net_flags.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lamarck::cli {

// The kinds share some flags, so each flag is parsed once and then passed on.
class EvolveFlags {
 public:
  // Called once, before parsing; `app` writes into this object.
  void add_to(CLI::App& app);

  const std::string& kind() const { return kind_; }
  // Fails if a flag of another kind was given.
  Result<void> check_kind() const;

  // Call these after parsing.
  NetFlags net_flags() const;
  SearchFlags search_flags() const;

 private:
  void add_shared(CLI::App& app);
  void add_net(CLI::App& app);
  void add_search(CLI::App& app);

  std::string kind_;
  // Flags of one kind are parsed into these
  // two, shared ones into the members below.
  NetFlags net_;
  SearchFlags search_;
  std::string data_;
  std::optional<std::string> target_;
  std::vector<std::string> budget_;
  std::vector<std::string> tests_;
  std::optional<std::int64_t> islands_;
  std::optional<std::uint64_t> seed_;
  std::optional<std::string> out_;
  std::optional<std::string> resume_;
  // The kinds that take a flag, surrounded by blanks: " net fn ".
  std::map<const CLI::Option*, std::string> kinds_;
};

}  // namespace lamarck::cli
