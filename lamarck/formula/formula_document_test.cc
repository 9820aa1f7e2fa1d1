#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/base/file.h"
#include "lamarck/formula/formula.h"

namespace lamarck::formula {
namespace {

// The text of docs/formula.md, found from the current or a parent directory;
// empty if there is none.
std::string document() {
  for (std::filesystem::path folder = std::filesystem::current_path();;
       folder = folder.parent_path()) {
    const std::filesystem::path path = folder / "docs" / "formula.md";
    if (std::filesystem::exists(path)) return *read_file(path);
    if (folder == folder.parent_path()) return "";
  }
}

TEST(FormulaDocument, HasRowForEveryOperation) {
  const std::string text = document();
  if (text.empty()) GTEST_SKIP() << "docs/formula.md is not here.";
  for (const Operation& entry : operations()) {
    const std::string numpy =
        entry.numpy.empty() ? "" : fmt::format("`{}`", entry.numpy);
    const std::string start =
        fmt::format("\n| `{}` | {} | {} | ", entry.name, entry.arity, numpy);
    const std::size_t place = text.find(start);
    ASSERT_NE(place, std::string::npos)
        << "docs/formula.md has no row " << start;
    const std::string row =
        text.substr(place + 1, text.find('\n', place + 1) - place - 1);
    EXPECT_TRUE(row.ends_with(entry.is_smooth ? "| yes |" : "| no |")) << row;
  }
}

TEST(FormulaDocument, ExampleParses) {
  const std::string text = document();
  if (text.empty()) GTEST_SKIP() << "docs/formula.md is not here.";
  const std::string fence = "```python\n";
  const std::size_t start = text.find(fence) + fence.size();

  const auto formula =
      parse_python(text.substr(start, text.find("```", start) - start));

  ASSERT_TRUE(formula) << formula.error().message();
  EXPECT_EQ(formula->body.param_count(), 2u);
}

}  // namespace
}  // namespace lamarck::formula
