// The program's commands and flags as data, for what is written about them: the
// manual and the completions of the shells.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lamarck::cli {

struct OutlineFlag {
  std::vector<std::string> names;  // "--json", "-h".
  std::string summary;
  std::string value;                 // "FILE"; empty for a switch.
  std::vector<std::string> choices;  // The allowed values, if they are listed.
};

struct OutlineArgument {
  std::string name;  // "SHELL".
  std::string summary;
  std::vector<std::string> choices;
};

struct OutlineCommand {
  std::string name;
  std::string summary;  // First sentence.
  std::string description;
  std::string example;  // Empty for the program itself.
  std::vector<OutlineFlag> flags;
  std::vector<OutlineArgument> arguments;
};

struct Outline {
  OutlineCommand program;  // Flags that every command takes.
  std::vector<OutlineCommand> commands;
};

Outline outline_of(const CLI::App& program);

}  // namespace lamarck::cli
