// All flags of `lamarck evolve`, and which of them belong to what evolves.

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

// Kinds share some flags, so each is read once and handed on.
class EvolveFlags {
 public:
  // Called once, before parsing; `app` writes into this object.
  void add_to(CLI::App& app);

  const std::string& kind() const { return kind_; }
  // The error names a flag that was given and belongs to another kind.
  Result<void> check_kind() const;

  // After parsing.
  NetFlags net_flags() const;
  SearchFlags search_flags() const;

 private:
  void add_shared(CLI::App& app);
  void add_net(CLI::App& app);
  void add_search(CLI::App& app);

  std::string kind_;
  // What only one kind has is written here; the rest below.
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
  // The kinds that take a flag, with blanks around: " net fn ".
  std::map<const CLI::Option*, std::string> kinds_;
};

}  // namespace lamarck::cli
