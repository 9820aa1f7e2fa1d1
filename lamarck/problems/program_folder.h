// A folder that describes a problem whose solution is a Python program:
//
//   program.py    a program with marked functions, which evolve
//   evaluate.py   scores a program; not needed if problem.toml has a command
//   problem.md    describes the problem, for a language model; optional
//   problem.toml  limits, cascades, a command as evaluator; optional
//
// Both programs can read the other files of the folder.
// docs/howto/evolve-a-program.md explains evaluate.py.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/problems/problem_settings.h"
#include "lamarck/problems/python_skeleton_lines.h"
#include "lamarck/sandbox/sandbox.h"

namespace lamarck::problems {

// A marked part of a program.
struct ProgramPart {
  std::string text;
  PythonFunction function;  // Its first function.
  std::string after;        // The fixed text up to the next part or the end.
};

// A program split at its marks: `before` and each part with its `after` are the
// whole text.
struct ProgramText {
  std::string before;
  std::vector<ProgramPart> parts;  // At least one.
  std::string evolved;             // The parts, one after the other.

  // The first function, which gives the program its name.
  const PythonFunction& function() const { return parts.front().function; }
  // The whole text with `source` in place of its parts. If there are several,
  // the source is divided: statements go to the part of the next function that
  // a part begins with.
  std::string with(std::string_view source) const;
};

// An evolved part is the function below a line `# lamarck: evolve`, or the
// lines between `# EVOLVE-START` and `# EVOLVE-END` (or OpenEvolve's marks,
// `# EVOLVE-BLOCK-START` and `# EVOLVE-BLOCK-END`). Errors name the file
// `name`.
Result<ProgramText> read_program_text(std::string_view text,
                                      std::string_view name = "program.py");

struct ProgramFolder {
  std::filesystem::path path;
  ProgramText program;
  std::string evaluate;  // Empty if a command evaluates.
  ProblemSettings settings;
  std::string problem;             // Empty if there is no problem.md.
  std::vector<SandboxFile> files;  // All other files, sorted by name.
};

Result<ProgramFolder> read_program_folder(const std::filesystem::path& path);

}  // namespace lamarck::problems
