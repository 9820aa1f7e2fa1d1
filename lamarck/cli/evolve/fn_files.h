// The files that `lamarck evolve fn` writes to its folder.

#pragma once

#include <array>
#include <string_view>

namespace lamarck::cli {

inline constexpr const char* kLawPythonFile = "law.py";
inline constexpr const char* kLawLatexFile = "law.tex";
inline constexpr const char* kFrontFile = "front.csv";
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kJournalFile = "journal.jsonl";
// Only for a target of two classes.
inline constexpr const char* kClassesFile = "classes.json";

// Said about a journal of an older version.
inline constexpr const char* kUnverified =
    "The journal has no hashes, so changes of it cannot be found.";

// The files to mention to the user.
inline constexpr std::array<std::string_view, 5> kFnFiles = {
    kLawPythonFile, kLawLatexFile, kFrontFile, kReportFile, kJournalFile};

}  // namespace lamarck::cli
