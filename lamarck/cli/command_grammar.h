// The grammar of the command line, made from the list of commands.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "lamarck/cli/command.h"

namespace lamarck::cli {

// Parses a command line, and holds the values that parsing writes.
class Grammar {
 public:
  // `commands` must outlive the object.
  explicit Grammar(std::span<const Command> commands);
  // Options point to members.
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  // Returns only the flags that were given; an empty value counts as given.
  std::map<std::string, std::string, std::less<>> given_flags() const;

  CLI::App app;
  std::optional<std::string> config;
  std::map<const CLI::App*, CommandAction> actions;
  bool json = false;

 private:
  void add_setting(const Setting& setting);
  void add_command(CLI::App& parent, const Command& command);

  std::map<std::string, std::string> flags_;  // By the setting's key.
  std::map<std::string, const CLI::Option*> flag_options_;
};

}  // namespace lamarck::cli
