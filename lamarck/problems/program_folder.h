// A folder that describes a problem whose solution is a Python function:
//
//   program.py    a program with one marked function, which evolves
//   evaluate.py   scores a program
//   problem.md    describes the problem, for a language model; optional
//
// Both programs can read the other files of the folder.
// docs/howto/evolve-a-program.md explains evaluate.py.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/problems/python_skeleton_lines.h"
#include "lamarck/sandbox/sandbox.h"

namespace lamarck::problems {

// A program split at its marks: `before` + `evolved` + `after` is the whole
// text.
struct ProgramText {
  std::string before;
  std::string evolved;
  std::string after;
  PythonFunction function;  // The first function of the evolved part.

  // The whole text with `source` as its evolved part.
  std::string with(std::string_view source) const;
};

// The evolved part is the function below a line `# lamarck: evolve`, or the
// lines between `# EVOLVE-START` and `# EVOLVE-END` (or OpenEvolve's marks,
// `# EVOLVE-BLOCK-START` and `# EVOLVE-BLOCK-END`). Errors name the file
// `name`.
Result<ProgramText> read_program_text(std::string_view text,
                                      std::string_view name = "program.py");

struct ProgramFolder {
  std::filesystem::path path;
  ProgramText program;
  std::string evaluate;
  std::string problem;             // Empty if there is no problem.md.
  std::vector<SandboxFile> files;  // All other files, sorted by name.
};

Result<ProgramFolder> read_program_folder(const std::filesystem::path& path);

}  // namespace lamarck::problems
