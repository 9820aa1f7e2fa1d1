// A problem whose solution is a Python function, as a folder:
//
//   program.py    a program with one marked function, which evolves
//   evaluate.py   what a program is worth
//   problem.md    the problem in words, for those who write programs
//
// Other files are there for both programs to read.
// docs/howto/evolve-a-program.md tells what evaluate.py looks like.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/problems/python_skeleton_lines.h"
#include "lamarck/sandbox/sandbox.h"

namespace lamarck::problems {

// A program cut at its marks: `before` + `evolved` + `after` is all of it.
struct ProgramText {
  std::string before;
  std::string evolved;
  std::string after;
  PythonFunction function;  // The first of the evolved part.

  std::string with(std::string_view source) const;
};

// The evolved part is the function below a line `# lamarck: evolve`, or what
// stands between `# EVOLVE-START` and `# EVOLVE-END` (or the marks of
// OpenEvolve, `# EVOLVE-BLOCK-START` and `# EVOLVE-BLOCK-END`). `name` is the
// file's, for errors.
Result<ProgramText> read_program_text(std::string_view text,
                                      std::string_view name = "program.py");

struct ProgramFolder {
  std::filesystem::path path;
  ProgramText program;
  std::string evaluate;
  std::string problem;  // Empty if there is no such file.
  std::vector<SandboxFile> files;
};

Result<ProgramFolder> read_program_folder(const std::filesystem::path& path);

}  // namespace lamarck::problems
