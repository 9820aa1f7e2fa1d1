// Sentences about a command line that cannot be parsed.

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace lamarck::cli {

// Returns the innermost command that was parsed, or the program itself.
const CLI::App& parsed_command(const CLI::App& app);

// "lamarck evolve net" for that subcommand.
std::string full_name(const CLI::App& command);

std::vector<std::string> subcommand_names(const CLI::App& command);

// Whether the command is a group whose subcommand must be given.
bool wants_subcommand(const CLI::App& command);

// Says what is wrong and where to find help, such as "lamarck: Unknown flag
// '--sed'; did you mean '--seed'? See `lamarck evolve net --help`."
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lamarck::cli
