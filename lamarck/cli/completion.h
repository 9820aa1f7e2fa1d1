// Completion scripts for bash, zsh and fish,
// generated from the outline of the program.

#pragma once

#include <string>

#include "lamarck/cli/command_outline.h"

namespace lamarck::cli {

std::string bash_completion(const Outline& outline);
std::string zsh_completion(const Outline& outline);
std::string fish_completion(const Outline& outline);

}  // namespace lamarck::cli
