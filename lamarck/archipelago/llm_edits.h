// Applies the edits of a model's reply to a source:
//
//   <<<<<<< SEARCH
//   lines of the source
//   =======
//   the lines to put there
//   >>>>>>> REPLACE
//
// A model that changes a few lines of a long program need not repeat the rest.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::archipelago {

struct SourceEdit {
  std::string search;  // Whole lines; empty to add lines at the end.
  std::string replace;
};

// Returns the edits of a reply in their order. Ignores a block that is cut off.
std::vector<SourceEdit> find_edits(std::string_view reply);

// Applies the edits one after the other. The lines to search must occur exactly
// once; spaces at their ends are ignored, and so is indentation that all of
// them lack or have too much of. The error names the edit and quotes its first
// line.
Result<std::string> apply_edits(std::string_view source,
                                const std::vector<SourceEdit>& edits);

// Returns `whole` with the imports, functions and definitions of `part`: those
// that it has are replaced, and new ones are put before the first function. For
// a reply that has only some functions of a program.
std::string merged_source(std::string_view whole, std::string_view part);

}  // namespace lamarck::archipelago
