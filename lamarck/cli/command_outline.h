// The program's commands and flags as data, from which the manual and the shell
// completions are generated.

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
  std::vector<std::string> choices;  // Allowed values; empty for any.
};

struct OutlineArgument {
  std::string name;  // "SHELL".
  std::string summary;
  std::vector<std::string> choices;  // Allowed values; empty for any.
};

struct OutlineCommand {
  std::string name;     // "doctor"; "evolve net" for a subcommand.
  std::string summary;  // First sentence of the description.
  std::string description;
  std::string example;  // Empty for the program itself.
  std::vector<OutlineFlag> flags;
  std::vector<OutlineArgument> arguments;
};

struct Outline {
  OutlineCommand program;  // Its flags apply to every command.
  std::vector<OutlineCommand> commands;
};

Outline make_outline(const CLI::App& program);

}  // namespace lamarck::cli
